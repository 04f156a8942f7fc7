#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# count-parts.sh [LIMIT]... [--dark | --bright] [--to TARGET] [FILE | URI | /dev/videoN | camera]
#
# Counts parts, measures them and checks them against tolerances. The exit status is 0 if all parts pass, 1 if one fails or
# there is none, 2 if the input cannot be inspected. The default input shows ten parts, each of which should have one or
# two holes.
#   --area=MIN:MAX --perimeter=MIN:MAX --width=MIN:MAX --height=MIN:MAX --holes=MIN:MAX
#                    tolerances, in pixels; MIN or MAX may be missing, and a single number is the only value allowed
#   --ignore=PIXELS  ignores parts and holes with a smaller area (100)
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

# Join the elements in one string, with quoted values.
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
# Print the table of the last frame.
awk '/^  part/ { table = "" } { table = table $0 "\n" } / parts?, [0-9]+ passed/ { last = table } END { printf "\n%s", last }' "$log"
print_result
[ "$status" -le 1 ] || die 2 "the inspection failed (all messages: $PWD/$log)"
exit "$status"
