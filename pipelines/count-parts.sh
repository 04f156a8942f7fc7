#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# count-parts.sh [LIMIT]... [--dark | --bright] [--to TARGET] [FILE | URI | /dev/videoN | camera | aravis[:NAME]]
#
# Counts parts, measures them and checks them against tolerances. The exit status is 0 if all parts pass, 1 if one fails or
# there is none, 2 if the input cannot be inspected. The default input shows ten parts, each of which should have one or
# two holes. Of --adaptive and --color the last one counts.
#   --area=MIN:MAX --perimeter=MIN:MAX --width=MIN:MAX --height=MIN:MAX --holes=MIN:MAX
#                    tolerances, in pixels; MIN or MAX may be missing, and a single number is the only value allowed
#   --ignore=PIXELS  ignores parts and holes with a smaller area (100)
#   --adaptive[=PIXELS]
#                    for uneven light: compares each pixel with the mean of its neighbourhood, a square that is larger than
#                    the parts (151); PIXELS: its side, odd, up to 255. The default input shows parts far from a lamp
#   --split[=PIXELS]
#                    fills holes and splits parts that touch, where they are narrower by this depth (3). The default input
#                    shows coins
#   --region=X,Y,W,H[;...]
#                    inspects these rectangles only, in pixels of the frame; "polygon: X,Y X,Y X,Y" in the list is a polygon
#   --color=RANGES   parts have these colors, such as hue=170-10,saturation=100-255: ranges of the channels red, green, blue,
#                    hue (0-179), saturation, value, luma, cb, cr. The default input shows caps of bottles
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

limits=() invert=false ignore=--ignore=100 foreground=() region=() split=() few=(--holes=1:2)
option ()
{
  local number='[0-9]+(\.[0-9]+)?'
  case $1 in
    --ignore=*)
      ignore=$1
      [[ ${1#*=} =~ ^$number$ ]]
      ;;
    --area=* | --perimeter=* | --width=* | --height=* | --holes=*)
      limits+=("$1")
      [[ ${1#*=} =~ ^($number|$number:|:$number|$number:$number)$ ]]
      ;;
    --adaptive | --adaptive=*)
      local side=151
      [[ $1 = --adaptive ]] || side=${1#*=}
      scene=uneven foreground=("--adaptive=$side")
      [[ $side =~ ^[1-9][0-9]{0,2}$ ]] && ((side % 2 == 1 && side >= 3 && side <= 255))
      ;;
    --split | --split=*)
      local depth=3
      [[ $1 = --split ]] || depth=${1#*=}
      scene=coins split=("--split=$depth") few=()
      [[ $depth =~ ^$number$ ]]
      ;;
    --region=*)
      local rectangle='[0-9]+,[0-9]+,[0-9]+,[0-9]+' polygon='polygon:( ?[0-9]+,[0-9]+){3,}'
      region=("$1")
      [[ ${1#*=} =~ ^($rectangle|$polygon)(;($rectangle|$polygon))*$ ]]
      ;;
    --color=*)
      scene=caps foreground=("$1") few=()
      local range='[a-z]+=[0-9]+(-[0-9]+)?'
      [[ ${1#*=} =~ ^$range(,$range)*$ ]]
      ;;
    *) return 1 ;;
  esac
}

start parts "$@"
case $input in
  "")
    uri=fd://0 scene_length=1
    [ ${#limits[@]} -gt 0 ] || limits=("${few[@]}")
    ;;
  /dev/*) uri=v4l2://$input ;;
  *) uri=$(uri_of "$input") ;;
esac

finder=("$ignore" "${foreground[@]}" "${region[@]}" "${split[@]}" "${limits[@]}")
[ "$invert" = false ] || finder+=(--invert)
counted=" parts?, [0-9]+ passed"
play build/pipelines/inspect_parts "${finder[@]}" "--draw=$(sink_text)" "$uri"
# Print the table of the last frame.
awk '/^  part/ { table = "" } { table = table $0 "\n" } / parts?, [0-9]+ passed/ { last = table } END { printf "\n%s", last }' "$log"
print_result
[ "$status" -le 1 ] || die 2 "the inspection failed (all messages: $PWD/$log)"
exit "$status"
