#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# short.sh: installs what is missing, builds the elements with warnings as errors, and runs the tests that depend on the
# version of GStreamer: a few minutes. tests/run.sh runs all there are.
#   sudo tests/debian.sh ./tests/short.sh
set -euo pipefail

cd "$(dirname "$(readlink -f "$0")")/.."
. pipelines/lib.sh
exec < /dev/null

PATH=/usr/bin:/bin:$PATH
DIR=build-short
PACKAGES_TEST=(g++ libgstreamer-plugins-bad1.0-dev libgirepository1.0-dev python3-gst-1.0 python3-numpy
  gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0 gstreamer1.0-tools gstreamer1.0-plugins-base
  gstreamer1.0-plugins-good gstreamer1.0-plugins-bad fonts-dejavu-core prometheus-cpp-dev python3-prometheus-client)
elements=(cudaborders cudacca cudacrackcontour cudasnake filter no-gpu attachment segmentation)
programs=("${elements[@]/#/element-}")
runs=(cudaborders-cpu cudacca-cpu cudacrackcontour-cpu cudasnake-cpu filter-cpu element-no-gpu element-attachment-cpu
  segmentation-cpu serial componentmeta_scaled contourmeta_scaled metadata-kept unixfd detection-overlay inspect-boxes
  inspect-boxes-python metrics)

need_packages "build and test" "${PACKAGES_BUILD[@]}" "${PACKAGES_TEST[@]}"
export GST_REGISTRY=$PWD/$DIR/registry.bin # apart from the user's own
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0

analytics=disabled
! pkg-config --exists 'gstreamer-analytics-1.0 >= 1.24' || analytics=enabled
say "GStreamer $(pkg-config --modversion gstreamer-1.0), analytics $analytics"
targets=(gst/elements/libgst{cudacontours,contourmetrics}.so gst/meta/GstContours-1.0.typelib pipelines/inspect_boxes "${programs[@]/#/tests/elements/}"
  tests/metadata/test_{serial,componentmeta_scaled,contourmeta_scaled})
build $DIR --buildtype=plain -Doptimization=1 -Dwerror=true -Dcuda=disabled -Demulation-tests=disabled -Doracle-tests=disabled \
  -Dbenchmarks=disabled -Dintrospection=enabled "-Danalytics=$analytics"
[ $analytics = enabled ] || runs=("${runs[@]/detection-overlay/}")
mapfile -t runs < <(printf '%s\n' "${runs[@]}" | grep .)
CTR_TEST_QUICK=1 meson test -C $DIR --no-rebuild --print-errorlogs --timeout-multiplier 4 "${runs[@]}"
GST_PLUGIN_PATH=$DIR/gst/elements gst-inspect-1.0 cudacontours
