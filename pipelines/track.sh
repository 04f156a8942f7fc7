#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# track.sh [--window=X,Y,WIDTH,HEIGHT]... [--dark | --bright] [--to TARGET] [FILE | URI | /dev/videoN | camera | aravis[:NAME]]
#
# Tracks regions that differ from their background in mean or variance, also in strong noise.
#   --window=X,Y,WIDTH,HEIGHT  window with the region and some background, in pixels, once per region (the whole frame)
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

windows="" invert="" # makes no difference
option ()
{
  [[ $1 =~ ^--window=([0-9]{1,5},){3}[0-9]{1,5}$ ]] || return 1
  windows+=${windows:+;}${1#*=}
}

start targets "$@"
[ -n "$input$windows" ] || windows="150,90,240,240;570,150,240,240"
launch cudasnake track=true ${windows:+"window=$windows"} ! cudacontouroverlay
