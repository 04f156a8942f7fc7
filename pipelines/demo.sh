#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# demo.sh [FILE | URI | /dev/videoN]
#
# Finds the connected components in a picture, a video, a stream or a camera, and writes them to out/NAME.ndjson:
# installs what is missing, builds, runs the pipeline, sums up. Without an argument: the first camera, or a scene of its
# own where there is none.
set -euo pipefail

LIVE_SECONDS=10 # cameras and streams have no end of their own
FILE_SECONDS=60 # a long film is cut here

caller_dir=$PWD
cd "$(dirname "$(readlink -f "$0")")/.."
. pipelines/lib.sh

# is_camera DEVICE: a video device that delivers pictures? Many cameras own a second one that delivers only metadata.
is_camera ()
{
  [ -c "$1" ] && /usr/bin/python3 - "$1" << 'PYTHON' 2> /dev/null
import fcntl, struct, sys
VIDIOC_QUERYCAP, CAPTURE, CAPTURE_MPLANE = 0x80685600, 0x1, 0x1000
capability = bytearray(104)
with open(sys.argv[1], 'rb', buffering=0) as device:
    fcntl.ioctl(device, VIDIOC_QUERYCAP, capability)
device_caps = struct.unpack_from('I', capability, 88)[0]
sys.exit(not device_caps & (CAPTURE | CAPTURE_MPLANE))
PYTHON
}

[ $# -le 1 ] || die 2 "one argument at most: a file, a URI or a camera device such as /dev/video0"
argument=${1-}
case $argument in
  "")
    [ $# = 0 ] || die 2 "the argument is empty: give a file, a URI or a camera device such as /dev/video0"
    ;;
  -*)
    die 2 "no option '$argument': give a file, a URI or a camera device such as /dev/video0, or nothing"
    ;;
  /dev/*)
    [ -e "$argument" ] || die 2 "no such camera: $argument"
    [ -r "$argument" ] || die 2 "no permission to read $argument: is your user in the group 'video'?"
    ;;
  *://*) ;;
  *)
    [[ $argument = /* ]] || argument=$caller_dir/$argument
    [ -e "$argument" ] || die 2 "no such file: $1"
    [ -f "$argument" ] || die 2 "not a file: $1"
    [ -r "$argument" ] || die 2 "no permission to read $1"
    [ -s "$argument" ] || die 2 "the file is empty: $1"
    ;;
esac

need_packages "build the plugin and to decode video" "${PACKAGES_BUILD[@]}" "${PACKAGES_RUN[@]}"

case $argument in
  /dev/*) is_camera "$argument" || die 2 "not a camera: $argument delivers no pictures" ;;
  "")
    for device in /dev/video*; do
      is_camera "$device" || continue
      argument=$device
      break
    done
    ;;
esac

# Only a GPU that is here is compiled for: all architectures take several times as long.
options=(-Dcuda=disabled)
mapfile -t archs < <(gpu_archs)
if [ ${#archs[@]} = 0 ]; then
  say "No NVIDIA GPU found: building for the CPU."
elif ! have_nvcc; then
  say "An NVIDIA GPU (${archs[*]}) but no nvcc: building for the CPU. With the CUDA toolkit the demo runs on the GPU."
elif ! nvcc_has "${archs[@]}"; then
  say "This CUDA toolkit does not know the GPU here (${archs[*]}): building for the CPU."
else
  say "Building for the GPU here: ${archs[*]}"
  need_packages "build the GPU part" "${PACKAGES_CUDA[@]}"
  options=(-Dcuda=enabled "-Dcuda-archs=$(IFS=, && echo "${archs[*]}")")
fi
build build "${options[@]}" -Dintrospection=disabled -Doracle-tests=disabled -Dbenchmarks=disabled \
    || die 1 "the build failed: see above; 'rm -r build' starts afresh"
GST_PLUGIN_PATH=$PWD/build/gst/elements${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
GST_REGISTRY=$PWD/build/demo-registry.bin # apart from the user's own
export GST_PLUGIN_PATH GST_REGISTRY
# Also scans GStreamer's plugins, the first time: seconds that would count as the pipeline's.
gst-inspect-1.0 cudacca > /dev/null 2>&1 \
    || die 1 "the plugin does not load; this says why: gst-inspect-1.0 $PWD/build/gst/elements/libgstcudacontours.so"

# Decoded frames go on as they are, in CUDA memory too: videoconvert acts only on formats that cudacca does not take.
seconds=$LIVE_SECONDS
case $argument in
  "")
    what="a scene of its own, four moving patterns (no argument, and no camera here)"
    name=scene
    source=(compositor name=all background=black sink_1::xpos=480 sink_2::ypos=270 sink_3::xpos=480 sink_3::ypos=270)
    tile=video/x-raw,width=480,height=270,framerate=30/1
    for pattern in "ball" "ball motion=sweep flip=true" "pinwheel" "zone-plate kx2=20 ky2=20 kt=3"; do
      # shellcheck disable=SC2206 # one word a property
      tiles+=(videotestsrc num-buffers=150 pattern=$pattern ! "$tile" ! all.)
    done
    ;;
  /dev/*)
    what="the camera $argument, for $LIVE_SECONDS s"
    name=${argument##*/}
    source=(v4l2src "device=$argument" ! decodebin)
    ;;
  *)
    what=$argument
    uri=$argument
    if [[ $argument != *://* ]]; then
      uri=$(/usr/bin/python3 -c 'import pathlib, sys; print(pathlib.Path(sys.argv[1]).resolve().as_uri())' "$argument")
    fi
    [[ $uri != file://* ]] || seconds=$FILE_SECONDS
    name=${argument%%\?*}
    name=$(basename "$name")
    name=${name//[^A-Za-z0-9._-]/_}
    source=(uridecodebin "uri=$uri" "caps=video/x-raw(ANY)" expose-all-streams=false)
    ;;
esac

mkdir -p out
result=out/$name.ndjson
log=out/$name.log
rm -f "$result"
pipeline=("${source[@]}" ! videoconvert ! cudacca threshold-mode=otsu ! contourexport "location=$result"
  ! progressreport format=time update-freq=2 ! fakesink sync=false "${tiles[@]}")

say "Running on $what"
command=$(printf ' %q' "${pipeline[@]}")
printf 'GST_PLUGIN_PATH=%q gst-launch-1.0%s\n\n' "$GST_PLUGIN_PATH" "${command//\\!/!}"
started=${EPOCHREALTIME/[.,]/}
# The interrupt makes gst-launch end the stream in order. LC_ALL: its words are looked for below.
set +e
LC_ALL=C timeout --foreground -s INT -k 10 "$seconds" gst-launch-1.0 -e "${pipeline[@]}" 2>&1 | tee "$log" \
    | grep --line-buffered -E '^(progressreport[0-9]+ \([0-9]|Analysing|WARNING)'
status=${PIPESTATUS[0]}
set -e
microseconds=$((${EPOCHREALTIME/[.,]/} - started))
[ "$status" != 124 ] || echo "Stopped after $seconds s."

if [ ! -s "$result" ]; then
  error=$(grep -m 1 '^ERROR: from element' "$log" || true)
  message=$(sed -E 's/^ERROR: from element [^ ]+: //' <<< "$error")
  case $error in
    *GstCudaCca* | *GstContourExport*) die 1 "the analysis failed: $message (all messages: $log)" ;;
    "") die 1 "no frame came from $what within $seconds s (all messages: $log)" ;;
    *) die 2 "cannot get pictures from $what: $message (all messages: $log)" ;;
  esac
fi

say "Result"
/usr/bin/python3 pipelines/summarise.py "$result" "$microseconds"
echo "One line of JSON a frame: $PWD/$result"
case $status in
  0 | 124) ;;
  *) die 1 "the pipeline ended before its time: $(grep -m 1 '^ERROR' "$log") (all messages: $log)" ;;
esac
