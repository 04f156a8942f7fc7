#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# levels.sh [--step=LEVELS] [--max=LEVEL] [--min-area=PIXELS] [--dark | --bright] [--to TARGET]
#           [FILE | URI | /dev/videoN | camera | aravis[:NAME]]
#
# Draws level contours: lines of equal disparity, depth or brightness, as on a map. The default input imitates a depth camera.
#   --step=LEVELS      distance between two levels, of 255 (12)
#   --max=LEVEL        upper end of the colour scale, such as the highest level that is common in the input (255)
#   --min-area=PIXELS  ignores contours with a smaller area (60)
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

step=12 max=255 min_area=60 invert="" # makes no difference
option ()
{
  local value=${1#*=}
  case $1 in
    --step=*)
      step=$value
      [[ $step =~ ^[1-9][0-9]{0,2}$ ]] && [ "$step" -le 255 ]
      ;;
    --max=*)
      max=$value
      [[ $max =~ ^[1-9][0-9]{0,2}$ ]] && [ "$max" -le 255 ]
      ;;
    --min-area=*)
      min_area=$value
      [[ $min_area =~ ^[0-9]{1,9}$ ]]
      ;;
    *) return 1 ;;
  esac
}

start depth "$@"
launch cudacrackcontour "min-level=$step" "step=$step" max-level=255 "min-area=$min_area" \
    ! cudacontouroverlay color-by=level "max-level=$max" legend=true
