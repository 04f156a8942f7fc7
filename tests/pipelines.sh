#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs each script in pipelines/ on its generated scene, on an image, on a video and as in the documents; checks what it
# draws, and passes wrong arguments. tests/demo.sh does the same for demo.sh.
set -euo pipefail

cd "$(dirname "$(readlink -f "$0")")/.."
folder=$(mktemp -d)
mkdir "$folder/run"
trap 'rm -rf "$folder"' EXIT
unset DISPLAY WAYLAND_DISPLAY
scripts=(edges count-parts measure components borders levels track everything)

fail ()
{
  echo "$*" >&2
  exit 1
}

# runs STATUS SCRIPT ARGUMENT...: the script exits with this status. Its output is in $folder/stdout and $folder/stderr.
runs ()
{
  local expected=$1 script=$2 status=0
  shift 2
  "pipelines/$script.sh" "$@" > "$folder/stdout" 2> "$folder/stderr" < /dev/null || status=$?
  [ $status = "$expected" ] || {
    cat "$folder/stdout" "$folder/stderr" >&2
    fail "$script.sh $*: exit status $status, expected $expected"
  }
}

# complains STATUS SENTENCE SCRIPT ARGUMENT...: the same, with one line on stderr, which contains the sentence.
complains ()
{
  local status=$1 sentence=$2
  shift 2
  runs "$status" "$@"
  if [ "$(wc -l < "$folder/stderr")" != 1 ] || ! grep -qF -- "$sentence" "$folder/stderr"; then
    cat "$folder/stderr" >&2
    fail "$*: expected '$sentence', and nothing else, on stderr"
  fi
}

# refuses SENTENCE SCRIPT ARGUMENT...: the same with status 2.
refuses ()
{
  complains 2 "$@"
}

# said PATTERN: the last script has printed a line that matches.
said ()
{
  grep -qEe "$1" "$folder/stdout" || {
    cat "$folder/stdout" >&2
    fail "expected '$1' on stdout"
  }
}

# pixels PNG: prints the samples as RGB.
pixels ()
{
  gst-launch-1.0 -q filesrc location="$1" ! pngdec ! videoconvert ! video/x-raw,format=RGB ! fdsink
}

# is_drawn_on PNG WIDTH HEIGHT BARE COLOUR...: the image has this size, at least 0.2 % of its pixels differ from the image
# BARE (black if the name is empty), and at least 100 pixels have each COLOUR.
is_drawn_on ()
{
  pixels "$1" > "$folder/drawn.rgb"
  if [ -n "$4" ]; then pixels "$4" > "$folder/bare.rgb"; else : > "$folder/bare.rgb"; fi
  /usr/bin/python3 - "$folder" "$@" << 'PYTHON' || fail "$1 is not as expected"
import collections, struct, sys
folder, png, width, height, bare, *colours = sys.argv[1:]
with open(png, 'rb') as file:
    size = struct.unpack('>II', file.read(24)[16:])
stride = (3 * size[0] + 3) // 4 * 4
drawn, bare = ([data[row + x:row + x + 3] for row in range(0, len(data), stride) for x in range(0, 3 * size[0], 3)]
               for data in (open(f'{folder}/{name}.rgb', 'rb').read() for name in ('drawn', 'bare')))
bare = bare or [bytes(3)] * len(drawn)
assert size == (int(width), int(height)) and len(drawn) == len(bare) == size[0] * size[1], (size, len(drawn), len(bare))
changed = sum(a != b for a, b in zip(drawn, bare)) / len(drawn)
counts = collections.Counter((r & 0xf0, g & 0xf0, b & 0xf0) for r, g, b in drawn)
print(f'{png}: {size}, {100 * changed:.2f} % of the pixels drawn')
assert changed >= 0.002, changed
for colour in colours:
    wanted = tuple(bytes.fromhex(colour))
    near = sum(n for found, n in counts.items() if all(abs(f + 8 - w) <= 24 for f, w in zip(found, wanted)))
    assert near >= 100, f'{near} pixels of {colour}'
PYTHON
}

# bare_scene NAME FRAMES: writes the last frame of a scene to NAME.png, without an overlay.
bare_scene ()
{
  build/pipelines/scene "$1" "$2" > "$folder/scene.y4m"
  {
    head -n 1 "$folder/scene.y4m"
    tail -c $((6 + 3 * 960 * 540)) "$folder/scene.y4m" # "FRAME", three planes
  } | gst-launch-1.0 -q fdsrc ! y4mdec ! videoconvert ! video/x-raw,format=RGB ! pngenc ! filesink location="$folder/$1.png"
}

for script in "${scripts[@]}"; do
  runs 0 "$script" --help
  said "^$script.sh "
  said "FILE [|] URI [|] /dev/videoN [|] camera"
  said "^  --to none "
  said "^  --bright"
  said "--dark "
  # The help is the same by a relative path from another folder, and by a symbolic link.
  ln -s "$PWD/pipelines/$script.sh" "$folder/$script.sh"
  for path in "$(realpath --relative-to="$folder" "pipelines/$script.sh")" "./$script.sh"; do
    (cd "$folder" && "$path" --help) | cmp - "$folder/stdout" || fail "$path --help differs in another folder"
  done
  refuses "no such file: $folder/absent.png" "$script" "$folder/absent.png"
  refuses "no option '--frobnicate'" "$script" --frobnicate
done
refuses "not a file: $folder" edges "$folder"
refuses "no such camera: /dev/video999" edges /dev/video999
refuses "not a camera: /dev/null" edges /dev/null
ls /dev/video* > /dev/null 2>&1 || refuses "no camera found" edges --to none camera
refuses "the argument is empty" edges ""
refuses "one input at most" edges a://b a://c
refuses "--to needs a value" edges --to
refuses "--to takes window, FILE.png, FILE.mp4 or none, not 'x.jpg'" edges --to x.jpg
refuses "no display for a window" edges --to window
refuses "cannot write to the folder of /no/such/folder/x.png" edges --to /no/such/folder/x.png
for bad in "edges --sigma=x" "edges --sigma=21" "components --min-area=-1" "borders --min-area=" "levels --step=0" \
  "levels --step=256" "levels --max=0" "levels --max=256" "track --window=1,2,3" "count-parts --area=large" "count-parts --holes=" "count-parts --ignore=-1" \
  "measure --scale=" "measure --scale=x" "measure --ignore=x" "count-parts --adaptive=" "count-parts --adaptive=150" "count-parts --adaptive=257" "count-parts --adaptive=x" \
  "count-parts --split=" "count-parts --split=x" "count-parts --split=-1" "count-parts --region=" "count-parts --region=1,2,3" "count-parts --region=1,2,3,4;" "count-parts --color=" "count-parts --color=hue" "count-parts --color=hue=1;red=2"; do
  # shellcheck disable=SC2086 # two words
  refuses "no option '${bad#* }', or an invalid value" $bad
done
echo "This is a text, not a picture." > "$folder/text.png"
for script in "${scripts[@]}"; do
  refuses "cannot read frames from $folder/text.png" "$script" --to none "$folder/text.png"
done
refuses "count-parts.sh: cannot read frames from $folder/text.png: Could" count-parts --to none "$folder/text.png"
refuses "cannot read frames from file:///no/such/clip.mp4" edges --to none file:///no/such/clip.mp4

# An apt that prints to both outputs, on a machine without the packages $absent. Its output is not taken for the scripts'.
mkdir "$folder/bin"
cat > "$folder/bin/dpkg-query" << 'SCRIPT'
#!/bin/sh
echo "dpkg-query: warning: noise" >&2
case " $absent " in *" $4 "*) ;; *) echo installed ;; esac
SCRIPT
cat > "$folder/bin/apt-get" << 'SCRIPT'
#!/bin/sh
echo "Reading package lists..."
echo "debconf: delaying package configuration" >&2
exit "$apt_status"
SCRIPT
cat > "$folder/bin/sudo" << 'SCRIPT'
#!/bin/sh
[ "$1" != -n ] || shift
exec "$@"
SCRIPT
chmod +x "$folder"/bin/*
(
  export PATH=$folder/bin:$PATH absent="gcc gstreamer1.0-x" apt_status=0
  refuses "cannot read frames from $folder/text.png" everything --to none "$folder/text.png"
  said "^debconf: delaying"
  apt_status=100
  complains 1 "apt-get could not install" everything --to none "$folder/text.png"
  absent=gstreamer1.0-x # without it there are no captions
  refuses "cannot read frames from $folder/text.png" everything --to none "$folder/text.png"
  said "captions. apt-get could not install"
)

# Each script on its generated scene.
bare_scene depth 120
bare_scene nested 120
bare_scene targets 120
runs 0 components --to "$folder/page.png" --min-area=100000000
for script in edges components borders levels track everything; do
  runs 0 "$script" --to "$folder/$script.out.png"
  said "^Image: $folder/$script.out.png"
  said "^120 frames in .*: [0-9]+ frames/s$"
done
is_drawn_on "$folder/edges.out.png" 960 540 "" ffffff 000000
is_drawn_on "$folder/components.out.png" 960 540 "$folder/page.png" ffffff 3084bf
is_drawn_on "$folder/borders.out.png" 960 540 "$folder/nested.png" fde725 3e4a89
is_drawn_on "$folder/levels.out.png" 960 540 "$folder/depth.png" 35b779
runs 0 levels --max=64 --to "$folder/levels64.out.png"
is_drawn_on "$folder/levels64.out.png" 960 540 "$folder/depth.png" fde725
is_drawn_on "$folder/track.out.png" 960 540 "$folder/targets.png" e69f00 56b4e9
is_drawn_on "$folder/everything.out.png" 1920 720 "" ffffff e69f00 009e73

bare_scene parts 1
runs 1 count-parts --to "$folder/count.out.png"
said "^10 parts, 7 passed, 3 failed"
said "FAIL: holes below 1"
is_drawn_on "$folder/count.out.png" 960 540 "$folder/parts.png" 009e73 d55e00 56b4e9
runs 0 count-parts --to none --holes=:2
said "^10 parts, 10 passed, 0 failed"

runs 1 count-parts --adaptive --to "$folder/uneven.out.png"
said "^10 parts, 7 passed, 3 failed; threshold 0"
bare_scene uneven 1
is_drawn_on "$folder/uneven.out.png" 960 540 "$folder/uneven.png" 009e73 d55e00 56b4e9
runs 1 count-parts --holes=1:2 --to none "$folder/uneven.png" # one threshold is not enough
said "^8 parts"
runs 0 count-parts --color=hue=170-10,saturation=100-255 --to none
said "^4 parts, 4 passed, 0 failed; threshold 0"
bare_scene caps 1
runs 0 count-parts --adaptive --color=hue=100-130,saturation=100-255 --to none "$folder/caps.png" # the last one counts
said "^2 parts, 2 passed"
runs 0 count-parts --split --to "$folder/coins.out.png"
said "^11 parts, 11 passed"
bare_scene coins 1
is_drawn_on "$folder/coins.out.png" 960 540 "$folder/coins.png" 009e73 56b4e9
runs 0 count-parts --split=0 --to none
said "^6 parts, 6 passed"
runs 0 measure --to "$folder/washer.out.png"
said "^1 ring measured"
said "^ +1 +20\.0[0-9]+ +10\.(49|50)[0-9]+ .* mm$"
bare_scene washer 1
is_drawn_on "$folder/washer.out.png" 960 540 "$folder/washer.png" e69f00 56b4e9
runs 0 measure --to none --scale=0.1 "$folder/washer.png"
said "^ +1 +40\.[0-9]+ +2[01]\.[0-9]+ .* mm$"
runs 0 measure --to none "$folder/washer.png"
said "^ +1 +400\.[0-9]+ +2(09|10)\.[0-9]+ .* px$"
gst-launch-1.0 -q videotestsrc pattern=ball num-buffers=1 ! video/x-raw,width=320,height=240 ! videoconvert ! pngenc \
  ! filesink "location=$folder/ball.png"
runs 1 measure --to none "$folder/ball.png" # a disc has no hole
said "^0 rings measured"
refuses "--calibration and --scale exclude one another" measure --scale=1 "--calibration=$folder/text.png" --to none
refuses "the calibration in" measure "--calibration=$folder/text.png" --to none

runs 1 count-parts --region=0,270,960,270 --to none
said "^5 parts, 3 passed, 2 failed"
refuses "--color takes ranges of channels" count-parts --color=hew=1-2 --to none

runs 0 count-parts --dark --ignore=20000 --to none "$folder/parts.png" # the belt
said "^1 part, 1 passed, 0 failed"

for script in edges components borders levels track everything; do
  runs 0 "$script" --to none
  said "^120 frames in .*: [0-9]+ frames/s$"
done

# An image and a video with odd sizes and blanks in their names, and results beside them. The image is grey.
gst-launch-1.0 -q videotestsrc num-buffers=1 pattern=ball ! video/x-raw,format=GRAY8,width=161,height=123 ! pngenc \
    ! filesink location="$folder/a picture.png"
gst-launch-1.0 -q videotestsrc num-buffers=20 pattern=ball ! video/x-raw,width=161,height=123 ! jpegenc ! avimux \
    ! filesink location="$folder/a clip.avi"
project=$PWD
for script in "${scripts[@]}"; do
  [ "$script" != measure ] || continue # There is no ring to draw on.
  size=(161 123)
  bare="$folder/a picture.png"
  [ "$script" != edges ] || bare=""
  [ "$script" != everything ] || bare="" size=(1920 720)
  (cd "$folder" && "./$script.sh" --to "on $script.png" "a picture.png" > /dev/null)
  is_drawn_on "$folder/on $script.png" "${size[@]}" "$bare"
  runs 0 "$script" "--to=$folder/$script clip.mp4" "file://$folder/a%20clip.avi"
  said "^20 frames in .*: [0-9]+ frames/s$"
  gst-launch-1.0 -q filesrc location="$folder/$script clip.mp4" ! qtdemux ! h264parse ! openh264dec ! videoconvert \
      ! video/x-raw,format=GRAY8 ! multifilesink location="$folder/decoded.%d"
  [ "$(find "$folder" -name 'decoded.*' -size +0 | wc -l)" = 20 ] || fail "$script.sh: not 20 frames in the video"
  rm "$folder"/decoded.*
done

# The last of --dark and --bright counts. The image shows a ball brighter than its background.
# drawn SCRIPT OPTION...: prints the path of the script's result for this image.
drawn ()
{
  local name
  name=$folder/$(printf '%s' "$@").png
  runs 0 "$@" --to "$name" "$folder/a picture.png"
  echo "$name"
}
for script in edges levels track count-parts borders everything components; do
  default=$(drawn "$script") bright=$(drawn "$script" --dark --bright) dark=$(drawn "$script" --bright --dark)
  case $script in
    edges | levels | track) alike=("$bright" "$dark") ;;
    components) alike=("$dark") ;;
    *) alike=("$bright") ;;
  esac
  for name in "${alike[@]}"; do
    cmp "$default" "$name"
  done
  [ ${#alike[@]} = 2 ] || ! cmp -s "$bright" "$dark" || fail "$script.sh: --bright and --dark yield the same"
done

# The cookbook's lines, on these. A camera is not here.
cp "$folder/page.png" "$folder/parts.png" "$folder/everything clip.mp4" "$folder/run/"
mv "$folder/run/everything clip.mp4" "$folder/run/clip.mp4"
cp "$folder/depth.png" "$folder/run/disparity.png"
cp "$folder/washer.png" "$folder/run/rings.png"
printf '%%YAML:1.0\n---\nunit: mm\nscale: 0.05\n' > "$folder/run/camera.yml"
lines=0
while read -r line; do
  line=${line/ camera/ --to none clip.mp4}
  echo "--- $line"
  (cd "$folder/run" && eval "'$project'/$line" < /dev/null) || [ $? = 1 ] || fail "cookbook: $line"
  lines=$((lines + 1))
done < <(sed -n 's/ *#.*//; /^pipelines\/[a-z-]*\.sh /p' docs/cookbook.md)
[ $lines -ge ${#scripts[@]} ] || fail "$lines lines in the cookbook"
for result in letters.png nested.png levels.png cap.mp4 all.mp4; do
  [ -s "$folder/run/$result" ] || fail "cookbook: no $result"
done

[ -z "$(find out -name 'last-frame-*')" ] || fail "a temporary frame is left in out/"
echo "The scripts work as expected."
