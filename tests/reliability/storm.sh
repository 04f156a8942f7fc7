#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# storm.sh [--hours N] [BUILD...]: storms in each build folder in turn, N hours in all (1 by default), until one fails. The
# folders are build-tests/release and build-tests/sanitizers by default, which tests/run.sh makes.
set -euo pipefail

cd "$(dirname "$(readlink -f "$0")")/../.."
hours=1
[ "${1-}" != --hours ] || {
  hours=${2:?}
  shift 2
}
[[ $hours =~ ^[0-9]+$ ]] || {
  echo "storm.sh: --hours wants a whole number, not \"$hours\"." >&2
  exit 2
}
builds=("$@")
[ ${#builds[@]} -gt 0 ] || builds=(build-tests/release build-tests/sanitizers)
for build in "${builds[@]}"; do
  [ -x "$build/tests/reliability/storm" ] || {
    echo "storm.sh: $build has no tests/reliability/storm. Build it first." >&2
    exit 2
  }
done

export G_DEBUG=fatal-criticals GST_PLUGIN_LOADING_WHITELIST=gstreamer:gst-plugins-base:gst-plugins-good:gst-cuda-contours
export GST_REGISTRY_FORK=no LSAN_OPTIONS="print_suppressions=0:suppressions='$PWD/tests/lsan.supp'"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
end=$((SECONDS + hours * 3600))
while [ $SECONDS -lt $end ]; do
  for build in "${builds[@]}"; do
    echo "== $build"
    GST_PLUGIN_PATH=$PWD/$build/gst/elements GST_REGISTRY=$PWD/$build/tests/reliability/registry.bin \
      "$build/tests/reliability/storm" --seconds 300
  done
done
