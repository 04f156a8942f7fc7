#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# everything.sh [--to TARGET] [FILE | URI | /dev/videoN | camera]
#
# The same frames in four ways, side by side: edges, components, nested borders, lines of equal brightness.
set -euo pipefail
caller_dir=$PWD
cd "$(dirname "$(readlink -f "$0")")/.."
. pipelines/lib.sh

option ()
{
  return 1
}

start parts "$@"

# tile NUMBER NAME ELEMENT...: from the tee to a quarter of the picture, with the name on it.
tiles=()
download=()
! has_element cudadownload || download=(! cudadownload)
tile ()
{
  local number=$1 name=$2
  shift 2
  tiles+=(all. ! queue ! "$@" "${download[@]}" ! videoconvert ! videoscale add-borders=true
    ! video/x-raw,format=RGB,width=960,height=540,pixel-aspect-ratio=1/1
    ! textoverlay "text=$name" "font-desc=DejaVu Sans 16" halignment=left valignment=top shaded-background=true
    ! "sheet.sink_$number")
}
tile 0 cudacanny cudacanny threshold-mode=otsu sigma=1.4
tile 1 cudacca cudacca threshold-mode=otsu min-area=20 labels=true \
    ! cudacontouroverlay draw=fill+components+centroids fill-alpha=0.6
tile 2 cudaborders cudaborders threshold-mode=otsu mode=tree min-area=50 \
    ! cudacontouroverlay thickness=3
tile 3 cudacrackcontour cudacrackcontour min-level=64 step=24 max-level=255 min-area=60 \
    ! cudacontouroverlay color-by=level

launch tee name=all "${tiles[@]}" \
    compositor name=sheet sink_1::xpos=960 sink_2::ypos=540 sink_3::xpos=960 sink_3::ypos=540 \
    ! video/x-raw,width=1920,height=1080
