#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gstreamer-version.sh REPOSITORY TAG [OPTION]...: builds the libraries of another version of GStreamer from TAG of a clone of its
# repository, this project against them with warnings as errors, and lets that GStreamer load the plugin.
#   tests/gstreamer-version.sh ../gstreamer 1.28.6 -Dcuda-archs=sm_90
# The options are those of this project. The libraries stay in out/gstreamer-TAG. GStreamer 1.28 needs Meson 1.4, which pip has, flex and bison.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

if [ $# -lt 2 ]; then
  sed -n '3,/^[^#]/s/^#$\|^# //p' "$0" >&2
  exit 2
fi
repository=$1 tag=$2
shift 2
PATH=/usr/bin:/bin:$PATH
folder=$PWD/out/gstreamer-$tag
prefix=$folder/prefix
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib

# part NAME OPTION...: builds and installs one of GStreamer's projects, of which nothing but the options is wanted.
part ()
{
  local name=$1
  shift
  [ ! -e "$folder/$name/installed" ] || return 0
  meson setup --reconfigure "$folder/$name" "$folder/source/subprojects/$name" "--prefix=$prefix" --libdir=lib --buildtype=plain \
    -Dauto_features=disabled "$@"
  ninja -C "$folder/$name" install
  touch "$folder/$name/installed"
}

if [ ! -e "$folder/source" ]; then
  mkdir -p "$folder/unpacked"
  git -C "$repository" archive "$tag" -- subprojects/{gstreamer,gst-plugins-base,gst-plugins-bad} \
      ':(exclude,glob)subprojects/*/docs/**' | tar -C "$folder/unpacked" -x
  sed -i "/^subdir('docs')/d" "$folder"/unpacked/subprojects/*/meson.build
  mv "$folder/unpacked" "$folder/source"
fi
part gstreamer -Dtools=enabled -Dcheck=enabled
part gst-plugins-base -Dapp=enabled -Dvideotestsrc=enabled -Dvideoconvertscale=enabled -Drawparse=enabled
part gst-plugins-bad -Dnvcodec=enabled -Dunixfd=enabled -Dtensordecoders=enabled

build=$folder/build
[ -e "$build/build.ninja" ] || meson setup "$build" -Dwerror=true -Dbenchmarks=disabled -Doracle-tests=disabled \
  -Demulation-tests=disabled -Dintrospection=disabled -Danalytics=enabled "$@"
ninja -C "$build"
GST_REGISTRY=$build/registry.bin GST_PLUGIN_PATH=$build/gst/elements "$prefix/bin/gst-inspect-1.0" cudacontours
