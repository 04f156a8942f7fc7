#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# borders.sh [--dark | --bright] [--min-area=PIXELS] [--to TARGET] [FILE | URI | /dev/videoN | camera | aravis[:NAME]]
#
# Draws nested borders in a colour for their depth: outlines as solid lines, holes as dashed ones.
#   --min-area=PIXELS  ignores borders with a smaller area (50)
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

invert=false min_area=50
option ()
{
  case $1 in
    --min-area=*)
      min_area=${1#*=}
      [[ $min_area =~ ^[0-9]{1,9}$ ]]
      ;;
    *) return 1 ;;
  esac
}

start nested "$@"
launch cudaborders threshold-mode=otsu mode=tree "invert=$invert" "min-area=$min_area" \
    ! cudacontouroverlay color-by=depth legend=true
