#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# measure.sh [--calibration=FILE | --scale=SIZE] [--dark | --bright] [--to TARGET] [FILE | URI | /dev/videoN | camera | aravis[:NAME]]
#
# Measures the outer and the inner diameter of rings, such as washers, and draws dimension lines. It prints a table and writes it
# to out/measure.csv. The exit status is 0 if there is a ring, 1 if there is none, 2 if the input cannot be measured. The default
# input shows a washer of 20 mm outside and 10.5 mm inside.
#   --calibration=FILE  calibration of the camera, as pipelines/calibrate.py writes it
#   --scale=SIZE        in place of it: a pixel is SIZE mm wide. Without both, the result is in pixels
#   --ignore=PIXELS     ignores parts and holes with a smaller area (100)
set -euo pipefail
caller_dir=$PWD script=$(readlink -f "$0")
cd "$(dirname "$script")/.."
. pipelines/lib.sh

invert=false ignore=--ignore=100 calibration="" scale=""
option ()
{
  local number='[0-9]+(\.[0-9]+)?'
  case $1 in
    --calibration=*) calibration=$(check_input "${1#*=}" "$caller_dir") ;;
    --scale=*)
      scale=${1#*=}
      [[ $scale =~ ^$number$ ]]
      ;;
    --ignore=*)
      ignore=$1
      [[ ${1#*=} =~ ^$number$ ]]
      ;;
    *) return 1 ;;
  esac
}

largest=65535 # A calibration holds for the pictures that the camera takes.
start washer "$@"
[ -z "$calibration" ] || [ -z "$scale" ] || die 2 "--calibration and --scale exclude one another; give one of them"
case $input in
  "")
    uri=fd://0 scene_length=1
    [ -n "$calibration$scale" ] || scale=0.05
    ;;
  /dev/*) uri=v4l2://$input ;;
  *) uri=$(uri_of "$input") ;;
esac
if [ -n "$scale" ]; then
  calibration=out/measure-scale.yml
  printf '%%YAML:1.0\n---\nunit: mm\nscale: %s\n' "$scale" > "$calibration"
fi

finder=("$ignore" --table=out/measure.csv)
[ -z "$calibration" ] || finder+=("--calibration=$calibration")
[ "$invert" = false ] || finder+=(--invert)
counted=" rings? measured"
play build/pipelines/measure_rings "${finder[@]}" "--draw=$(sink_text)" "$uri"
# Print the table of the last frame.
awk '/^  ring/ { table = "" } { table = table $0 "\n" } / rings? measured/ { last = table } END { printf "\n%s", last }' "$log"
echo "Table: $PWD/out/measure.csv"
print_result
[ "$status" -le 1 ] || die 2 "the measurement failed (all messages: $PWD/$log)"
exit "$status"
