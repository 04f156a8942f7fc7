#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# leaks.sh: runs pipelines of all elements with GStreamer's leaks tracer: no object is left.
# leaks.sh valgrind: runs one pipeline under valgrind, without a wrong access and without lost memory.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
source=(videotestsrc num-buffers=3 pattern=ball ! "video/x-raw,format=NV12,width=64,height=48")
pipelines=(
  "cudacca features=moments+grey labels=true ! contourexport location=$folder/a.ndjson"
  "cudaborders mode=tree features=moments ! contourexport location=$folder/a-%d.geojson format=geojson"
  "cudacca ! cudacrackcontour trace=labels ! cudacontouroverlay labels=index"
  "cudacrackcontour min-level=100 step=50 ! contourexport location=$folder/a.csv format=csv codes=true"
  "cudasnake track=true history=true ! cudacontouroverlay"
  "cudabackground ! cudaforeground open-size=3 ! queue ! cudaborders epsilon=2 ! contourextract"
  "cudacanny contours=true ! tee ! queue ! cudacontouroverlay legend=true"
  "cudacca strip-mode=true ! contourexport location=$folder/a.json format=coco"
)

if [ "${1-}" = valgrind ]; then
  command -v valgrind > /dev/null || {
    echo "There is no valgrind."
    exit 77
  }
  # valgrind does not see how ORC's code reads, and GLib keeps freed slices.
  G_SLICE=always-malloc ORC_CODE=backup valgrind -q --error-exitcode=1 --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite --suppressions="$here/valgrind.supp" --num-callers=24 \
    gst-launch-1.0 -q "${source[@]}" ! cudacca backend=cpu features=moments ! cudaborders backend=cpu mode=tree \
    ! cudacontouroverlay backend=cpu ! contourexport location="$folder/a.ndjson" ! fakesink
  [ -s "$folder/a.ndjson" ]
  exit
fi

for pipeline in "${pipelines[@]}"; do
  echo "$pipeline"
  # shellcheck disable=SC2086 # words
  GST_TRACERS=leaks GST_DEBUG=GST_TRACER:7 GST_DEBUG_NO_COLOR=1 \
    gst-launch-1.0 -q "${source[@]}" ! $pipeline ! fakesink 2> "$folder/errors" || {
    cat "$folder/errors"
    exit 1
  }
  if grep -E 'object-alive, type-name=\(string\)[^%]' "$folder/errors"; then
    echo "These objects are left."
    exit 1
  fi
  grep -qi leaks "$folder/errors" || {
    echo "The leaks tracer did not run."
    exit 1
  }
done
