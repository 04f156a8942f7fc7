#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# count-parts.sh [LIMIT]... [--dark | --bright] [--to TARGET] [FILE | URI | /dev/videoN | camera]
#
# Counts parts and holds them to limits. Exit status 0 where all pass, 1 where one fails or there is none, 2 where nothing
# could be inspected. Without an input: ten parts on a belt, each to have a hole or two.
#   --area=MIN:MAX --perimeter=MIN:MAX --width=MIN:MAX --height=MIN:MAX --holes=MIN:MAX
#                    limits in pixels, of which either end may be missing; one number where only that is allowed
#   --ignore=PIXELS  leaves out parts and holes of less area (100)
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

limits=() invert=false ignore=--ignore=100
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
    *) return 1 ;;
  esac
}

start parts "$@"
case $input in
  "")
    uri=fd://0 scene_length=1
    [ ${#limits[@]} -gt 0 ] || limits=(--holes=1:2)
    ;;
  /dev/*) uri=v4l2://$input ;;
  *) uri=$(uri_of "$input") ;;
esac

# As one text, in which what has blanks is quoted.
elements=""
for word in "${sink[@]}"; do
  if [[ $word =~ ^[a-z]+= ]]; then
    value=${word#*=} && value=${value//\\/\\\\}
    word="${word%%=*}=\"${value//\"/\\\"}\""
  fi
  elements+=" $word"
done

finder=("$ignore" "${limits[@]}")
[ "$invert" = false ] || finder+=(--invert)
counted=" parts?, [0-9]+ passed"
play build/pipelines/inspect_parts "${finder[@]}" "--draw=$elements" "$uri"
# The table of the last frame.
awk '/^  part/ { table = "" } { table = table $0 "\n" } / parts?, [0-9]+ passed/ { last = table } END { printf "\n%s", last }' "$log"
tell_result
[ "$status" -le 1 ] || die 2 "the inspection ended before its time (all messages: $PWD/$log)"
exit "$status"
