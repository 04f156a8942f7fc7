#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# components.sh [--dark | --bright] [--min-area=PIXELS] [--to TARGET] [FILE | URI | /dev/videoN | camera | aravis[:NAME]]
#
# Detects the letters of a document as connected components, and fills each with a colour of its own.
#   --min-area=PIXELS  ignores smaller components (4)
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

invert=true min_area=4
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

largest=65535 # never scaled: small letters would touch
start page "$@"
launch cudacca threshold-mode=otsu "invert=$invert" "min-area=$min_area" labels=true \
    ! cudacontouroverlay draw=fill+components fill-alpha=0.8 thickness=1
