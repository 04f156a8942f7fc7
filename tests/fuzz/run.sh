#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# run.sh [--minutes N] [--jobs N] [TARGET...]: builds the fuzz targets with Clang in build-fuzz/, runs each for N minutes (60), two at
# a time, and merges what reaches new code into out/fuzz/TARGET. Ends with the number of findings.
set -uo pipefail

cd "$(dirname "$(readlink -f "$0")")/../.." || exit
minutes=60 jobs=2 targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --minutes) minutes=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    *) targets+=("$1") ;;
  esac
  shift
done
[ ${#targets[@]} -gt 0 ] || for corpus in tests/fuzz/corpus/*/; do
  targets+=("$(basename "$corpus")")
done

if ! command -v clang > /dev/null; then
  echo "Fuzzing needs Clang: install the package clang."
  exit 77
fi
[ -f build-fuzz/build.ninja ] || CC=clang CXX=clang++ meson setup build-fuzz --buildtype=plain -Dc_args=-gline-tables-only -Dcuda=disabled \
  -Dintrospection=disabled -Doracle-tests=disabled -Demulation-tests=disabled -Dbenchmarks=disabled || exit
ninja -C build-fuzz "${targets[@]/#/tests/fuzz/fuzz-}" || exit

# fuzz TARGET: its output goes to a file.
fuzz ()
{
  local target=$1 new=out/fuzz/$1
  mkdir -p "$new"
  CTR_FUZZ_CORPUS=$new CTR_FUZZ_SECONDS=$(awk "BEGIN { print int ($minutes * 60) }") CTR_FUZZ_SEED=0 \
    tests/fuzz/once.sh "build-fuzz/tests/fuzz/fuzz-$target" "tests/fuzz/corpus/$target" > "$new.log" 2>&1
}

failed=()
running=()
wait_for_first ()
{
  local pid=${running[0]%%:*} name=${running[0]#*:}
  if wait "$pid"; then
    echo "$name: $(grep -o 'number_of_executed_units: *[0-9]*' "out/fuzz/$name.log" | grep -o '[0-9]*$') inputs, nothing found"
  else
    echo "$name: a finding; see out/fuzz/$name.log"
    failed+=("$name")
  fi
  running=("${running[@]:1}")
}
mkdir -p out/fuzz
for target in "${targets[@]}"; do
  [ ${#running[@]} -lt "$jobs" ] || wait_for_first
  fuzz "$target" &
  running+=("$!:$target")
done
while [ ${#running[@]} -gt 0 ]; do
  wait_for_first
done
echo "${#failed[@]} findings in ${#targets[@]} targets"
[ ${#failed[@]} = 0 ]
