#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# edges.sh [--sigma=PIXELS] [--mask] [--dark | --bright] [--to TARGET] [FILE | URI | /dev/videoN | camera]
#
# The edges of a picture, a video or a camera, white on black, whatever the light.
#   --sigma=PIXELS  blurs more, for fewer edges (1.4)
#   --mask          shows the picture through its edges
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

sigma=1.4 mask=false invert="" # the same edges either way
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
