#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# count-parts.sh [LIMIT]... [--invert] [--to TARGET] [FILE | URI | /dev/videoN | camera]
#
# Counts parts and holds them to limits. Exit status 0 where all pass, 1 where one fails or there is none, 2 where nothing
# could be inspected. Without an input: ten parts on a belt, each to have a hole or two.
#   --area=MIN:MAX --perimeter=MIN:MAX --width=MIN:MAX --height=MIN:MAX --holes=MIN:MAX
#                    limits in pixels, of which either end may be missing; one number where only that is allowed
#   --ignore=PIXELS  leaves out parts and holes of less area (100)
#   --invert         parts are dark on a bright ground
set -euo pipefail
caller_dir=$PWD
cd "$(dirname "$(readlink -f "$0")")/.."
. pipelines/lib.sh

limits=() ignore=--ignore=100
option ()
{
  local number='[0-9]+(\.[0-9]+)?'
  case $1 in
    --invert) limits+=("$1") ;;
    --ignore=*)
      ignore=$1
      [[ ${1#*=} =~ ^$number$ ]]
      ;;
    --area=* | --perimeter=* | --width=* | --height=* | --holes=*)
      limits+=("$1")
      [[ ${1#*=} =~ ^($number|$number:|:$number|$number:$number)$ ]]
      ;;
    *) return 1 ;;
  esac
}

start parts "$@"
