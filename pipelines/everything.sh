#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# everything.sh [--dark | --bright] [--to TARGET] [FILE | URI | /dev/videoN | camera | aravis[:NAME]]
#
# Shows six views of the same frames side by side: the input, edges, components, nested borders, level contours, and
# outlines of the larger components, fitted by region statistics.
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

invert=false
option ()
{
  return 1
}

start parts "$@"
# The script works without the captions.
install_packages "write captions on the views" "${PACKAGES_WINDOW[@]}" || say "The views have no captions. $problem"
tiles=() sheet=(compositor name=sheet background=black) captions=()

# tile COLUMN ROW NAME ELEMENT...: adds a view of the input to the sheet, with its name as the caption.
tile ()
{
  local x=$((640 * $1)) y=$((360 * $2)) name=$3 pad=sink_$(($1 + 3 * $2))
  shift 3
  tiles+=(all. ! queue ! "$@" "${download[@]}" ! videoconvert ! "sheet.$pad")
  sheet+=("$pad::xpos=$x" "$pad::ypos=$y" "$pad::width=640" "$pad::height=360" "$pad::sizing-policy=keep-aspect-ratio")
  ! has_element textoverlay || captions+=(! textoverlay "text=$name" "font-desc=DejaVu Sans 14" auto-resize=false
    halignment=left valignment=top "xpad=$((x + 12))" "ypad=$((y + 12))" shaded-background=true)
}
tile 0 0 input identity
tile 1 0 cudacanny cudacanny threshold-mode=otsu sigma=1.4
tile 2 0 cudacca cudacca threshold-mode=otsu "invert=$invert" min-area=20 labels=true \
    ! cudacontouroverlay draw=fill+components+centroids fill-alpha=0.6
tile 0 1 cudaborders cudaborders threshold-mode=otsu "invert=$invert" mode=tree min-area=50 \
    ! cudacontouroverlay
tile 1 1 cudacrackcontour cudacrackcontour min-level=64 step=24 max-level=255 min-area=60 \
    ! cudacontouroverlay color-by=level
# The overlay does not draw the boxes of the components here.
tile 2 1 cudasnake cudacca threshold-mode=otsu "invert=$invert" min-area=1000 \
    ! cudasnake objects=components margin=0.1 ! cudacontouroverlay draw=contours

launch tee name=all "${tiles[@]}" "${sheet[@]}" ! video/x-raw,width=1920,height=720 "${captions[@]}"
