#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs pipelines/demo.sh on an image, a video, the generated scene and with wrong arguments.
set -euo pipefail

cd "$(dirname "$(readlink -f "$0")")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

file_start ()
{
  head -c 4 "$1" | tr -cd '[:alpha:]'
}

# expect_frames NAME FRAMES ARGUMENT...: demo.sh succeeds, and its results have this name and this number of frames.
expect_frames ()
{
  local name=$1 frames=$2 got
  shift 2
  rm -f "out/$name.overlay.png"
  pipelines/demo.sh "$@"
  got=$(wc -l < "out/$name.ndjson")
  [[ $(file_start "out/$name.overlay.png") = *PNG* ]] || {
    echo "demo.sh $*: no image in out/$name.overlay.png" >&2
    exit 1
  }
  [ "$got" = "$frames" ] || {
    echo "demo.sh $*: $got lines in out/$name.ndjson, expected $frames" >&2
    exit 1
  }
}

# expect_refusal SENTENCE ARGUMENT...: demo.sh exits with status 2 and one line of error, which contains the sentence.
expect_refusal ()
{
  local sentence=$1 status=0
  shift
  pipelines/demo.sh "$@" > "$folder/stdout" 2> "$folder/stderr" < /dev/null || status=$?
  if [ $status != 2 ] || [ "$(wc -l < "$folder/stderr")" != 1 ] || ! grep -qF "$sentence" "$folder/stderr"; then
    echo "demo.sh $*: exit status $status, expected 2 and '$sentence'; it said:" >&2
    cat "$folder/stderr" >&2
    exit 1
  fi
}

expect_refusal "no such file: $folder/absent.png" "$folder/absent.png"
expect_refusal "not a file: $folder" "$folder"
expect_refusal "no such camera: /dev/video999" /dev/video999
expect_refusal "not a camera: /dev/null" /dev/null
expect_refusal "no option '--help-me'" --help-me
expect_refusal "one input at most" a.png b.png
expect_refusal "the argument is empty" ""
: > "$folder/empty.png"
expect_refusal "the file is empty" "$folder/empty.png"
echo "This is a text, not a picture." > "$folder/text.png"
expect_refusal "cannot read frames from $folder/text.png" "$folder/text.png"
printf '\xff\xd8\xff\xe0 and no more' > "$folder/broken.jpg"
expect_refusal "cannot read frames from $folder/broken.jpg: " "$folder/broken.jpg"
printf 'YUV4MPEG2 W16 H16 F25:1\nFRAME\n and no more' > "$folder/cut.y4m"
expect_refusal "cannot read frames from $folder/cut.y4m: it has none" "$folder/cut.y4m"
expect_refusal "cannot read frames from file:///no/such/clip.mp4" file:///no/such/clip.mp4
expect_refusal "cannot read frames from nosuchscheme://host/clip" nosuchscheme://host/clip

# The help is the same by a relative path from another folder, and by a symbolic link.
pipelines/demo.sh --help > "$folder/help"
grep -q "^  --dark " "$folder/help"
ln -s "$PWD/pipelines/demo.sh" "$folder/link"
for path in "$(realpath --relative-to="$folder" pipelines/demo.sh)" ./link; do
  (cd "$folder" && "$path" --help) | cmp - "$folder/help"
done

gst-launch-1.0 -q videotestsrc num-buffers=1 pattern=checkers-8 ! video/x-raw,width=161,height=123 ! pngenc \
    ! filesink location="$folder/a picture, 100%.png"
gst-launch-1.0 -q videotestsrc num-buffers=40 pattern=ball ! jpegenc ! avimux ! filesink location="$folder/clip.avi"
expect_frames a_picture__100_.png 1 "$folder/a picture, 100%.png"
expect_frames clip.avi 40 "$folder/clip.avi"
expect_frames clip.avi 40 "file://$folder/clip.avi"
# The only dark object is the background of the ball.
expect_frames clip.avi 40 "$folder/clip.avi" --bright --dark
grep -q '"frame":39,.*"count":1,' out/clip.avi.ndjson || {
  echo "demo.sh --dark: not one dark component" >&2
  exit 1
}
# A terminal shows the image, too: 80 half blocks per line.
if script -qec true /dev/null > /dev/null 2>&1 < /dev/null; then
  script -qec "stty cols 80 rows 50; pipelines/demo.sh '$folder/clip.avi'" /dev/null > "$folder/terminal" < /dev/null
  if [ "$(grep -o ▀ "$folder/terminal" | wc -l)" != $((80 * 30)) ] || ! grep -q "40 frames in .* frames/s" "$folder/terminal"; then
    echo "demo.sh in a terminal: no image of 80 x 30 characters, or no frame rate" >&2
    exit 1
  fi
  # The table is that of the frame in the image.
  grep -q "^Frame 39: 1 component:" "$folder/terminal" || {
    echo "demo.sh: no table of the last frame" >&2
    exit 1
  }
else
  echo "There are no pseudo-terminals, as in a chroot without /dev/pts: demo.sh in a terminal is not tested."
fi
if ls /dev/video* > /dev/null 2>&1; then
  echo "There is a video device: the scene that replaces a camera is not tested."
else
  expect_frames scene 150
fi
echo "demo.sh works as expected."
