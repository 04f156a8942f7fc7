#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# demo.sh [--dark | --bright] [FILE | URI | /dev/videoN | camera | aravis[:NAME]]
#
# Detects the connected components in an image, a video, a stream or a camera: installs missing packages, builds the
# project, runs the pipeline, and shows the result as an image and a table. out/NAME.ndjson has the components of all
# frames, out/NAME.overlay.png the last frame with its components. The default input is the first camera, or a generated
# scene.
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

invert=false given=0 input=""
for argument; do
  case $argument in
    --help | -h)
      about
      echo
      about_polarity false
      exit 0
      ;;
    --bright) invert=false ;;
    --dark) invert=true ;;
    -*) die 2 "no option '$argument': --help lists the options" ;;
    *)
      [ $given = 0 ] || die 2 "one input at most: a file, a URI or a camera device such as /dev/video0"
      given=1 input=$argument
      ;;
  esac
done
[ $given = 0 ] || input=$(check_input "$input" "$caller_dir") || exit
need_packages "build the plugin and to decode video" "${PACKAGES_BUILD[@]}" "${PACKAGES_RUN[@]}"
find_camera
[ -n "$input" ] || input=$(first_camera)
build_for_here

scene=parts scene_length=150
largest=65535 # never scaled: coordinates are those of the file
name=scene
[ -z "$input" ] || name=$(name_of "$input")
result=out/$name.ndjson
to=$PWD/out/$name.overlay.png
mkdir -p out
rm -f "$result"
set_source
set_sink
pipeline=("${source[@]}" cudacca threshold-mode=otsu "invert=$invert" labels=true ! contourexport "location=$result"
  ! cudacontouroverlay draw=fill+components fill-alpha=0.6 min-area=50 ! "${sink[@]}")

command=$(printf ' %q' "${pipeline[@]}")
printf '\n%sGST_PLUGIN_PATH=%q gst-launch-1.0%s\n' "$([ -n "$input" ] || echo "build/pipelines/scene parts | ")" \
  "$GST_PLUGIN_PATH" "${command//\\!/!}"
play gst-launch-1.0 -e -v "${pipeline[@]}"

say "Result"
[ ! -t 1 ] || /usr/bin/python3 pipelines/show_image.py "$last_frame"
/usr/bin/python3 pipelines/summarise.py "$result"
echo
tail -n 1 "$log"
echo "One line of JSON per frame: $PWD/$result"
echo "The last frame with its components: $to"
[ "$status" = 0 ] || die 1 "the pipeline failed: $(grep -m 1 '^ERROR' "$log") (all messages: $PWD/$log)"
