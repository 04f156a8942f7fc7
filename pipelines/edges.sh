#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# edges.sh [--sigma=PIXELS] [--mask] [--dark | --bright] [--to TARGET] [FILE | URI | /dev/videoN | camera | aravis[:NAME]]
#
# Shows the edges of an image, a video or a camera in white on black, with thresholds from the histogram of each frame.
#   --sigma=PIXELS  standard deviation of the blur; more blur yields fewer edges (1.4)
#   --mask          shows the frame at its edges, instead of white
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

sigma=1.4 mask=false invert="" # makes no difference
option ()
{
  case $1 in
    --mask) mask=true ;;
    --sigma=*)
      sigma=${1#*=}
      [[ $sigma =~ ^(1?[0-9](\.[0-9]+)?|20)$ ]]
      ;;
    *) return 1 ;;
  esac
}

start parts "$@"
launch cudacanny threshold-mode=otsu "sigma=$sigma" "mask=$mask"
