# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034,SC2054,SC2154
# What the scripts here and tests/run.sh share: packages, the GPU, the build, sources and sinks. Sourced with the project's
# root as the working directory.

PACKAGES_BUILD=(gcc libc6-dev meson ninja-build pkg-config libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  libpango1.0-dev)
PACKAGES_CUDA=(g++ libgstreamer-plugins-bad1.0-dev)
PACKAGES_RUN=(python3-minimal gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad gstreamer1.0-libav fonts-dejavu-core)
PACKAGES_WINDOW=(gstreamer1.0-x) # and text

LIVE_SECONDS=10 # cameras and streams have no end of their own
FILE_SECONDS=60 # a long film is cut here
largest=1920    # pixels a side; larger pictures are scaled

say ()
{
  printf '\n== %s\n' "$*"
}

# die STATUS SENTENCE: the one way out on an error.
die ()
{
  printf '%s: %s\n' "${0##*/}" "$2" >&2
  exit "$1"
}

# install_packages PURPOSE PACKAGE...: installs those Debian packages that are missing; does nothing, not even ask apt,
# when all are there. On failure $problem says why. What apt says goes to the standard output: on the other one the caller
# has a sentence of its own, or none.
install_packages ()
{
  local purpose=$1 package missing=()
  shift
  if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
    say "No apt-get here: these packages, or what your system calls them, have to be installed already: $*"
    return
  fi
  for package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  say "Installing with apt, to $purpose: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo > /dev/null; then
      problem="not root and no sudo: have these packages installed, then run again: ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
    [ -t 0 ] || as_root+=(-n)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300
    -o Acquire::Retries=3)
  "${apt[@]}" update < /dev/null 2>&1 || say "The package lists could not be renewed: trying with those that are there."
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null 2>&1 && return
  problem="apt-get could not install the packages above: is the network up, and is this Debian 12 or newer?"
  return 1
}

# need_packages PURPOSE PACKAGE...: the same where there is no going on without them.
need_packages ()
{
  install_packages "$@" || die 1 "$problem"
}

# have_nvcc: is there a CUDA compiler? Puts the toolkit's usual place on PATH.
have_nvcc ()
{
  command -v nvcc > /dev/null || PATH=$PATH:/usr/local/cuda/bin
  command -v nvcc > /dev/null
}

# gpu_archs: the architectures of the GPUs here, such as "sm_90"; nothing without a GPU.
gpu_archs ()
{
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | grep -E '^[0-9]+\.[0-9]+$' | tr -d . \
      | sort -u | sed 's/^/sm_/'
}

# nvcc_has ARCH...: can nvcc compile for all of them?
nvcc_has ()
{
  local arch offered
  offered=$(nvcc --list-gpu-code 2> /dev/null)
  for arch; do
    grep -qx "$arch" <<< "$offered" || return 1
  done
}

# build DIR OPTION...: configures DIR with Meson where that is not done yet with these options, and compiles $targets, or
# all. A DIR that somebody configured by hand is compiled as it is.
targets=()
build ()
{
  local dir=$1 wanted stamp=$1/configured-by-script
  shift
  wanted="$PWD $*"
  if [ -f "$dir/build.ninja" ] && [ ! -f "$stamp" ]; then
    echo "$dir/ was configured by hand: it is used with the options it has."
  elif [ ! -f "$stamp" ] || [ "$(< "$stamp")" != "$wanted" ]; then
    [ ! -f "$stamp" ] || rm -rf "$dir"
    meson setup "$dir" "$@" || return
    printf '%s' "$wanted" > "$stamp"
  fi
  ninja -C "$dir" "${targets[@]}"
}

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

# first_camera: the first device that is one; nothing without a camera.
first_camera ()
{
  local device
  for device in /dev/video*; do
    is_camera "$device" || continue
    echo "$device"
    return
  done
}

# find_camera: makes a camera in $input a device, and looks whether it is one.
find_camera ()
{
  case $input in
    /dev/*) is_camera "$input" || die 2 "not a camera: $input delivers no pictures" ;;
    camera)
      input=$(first_camera)
      [ -n "$input" ] || die 2 "no camera here: no /dev/video device delivers pictures"
      ;;
  esac
}

# check_input ARGUMENT DIR: complains, or prints the URI, the camera, or the absolute path of the file that the user, in
# DIR, meant.
check_input ()
{
  local path=$1
  case $1 in
    "") die 2 "the argument is empty: give a file, a URI or a camera device such as /dev/video0" ;;
    camera | *://*) ;;
    /dev/*)
      [ -e "$1" ] || die 2 "no such camera: $1"
      [ -r "$1" ] || die 2 "no permission to read $1: is your user in the group 'video'?"
      ;;
    *)
      [[ $path = /* ]] || path=$2/$path
      [ -e "$path" ] || die 2 "no such file: $1"
      [ -f "$path" ] || die 2 "not a file: $1"
      [ -r "$path" ] || die 2 "no permission to read $1"
      [ -s "$path" ] || die 2 "the file is empty: $1"
      ;;
  esac
  echo "$path"
}

# uri_of PATH-OR-URI
uri_of ()
{
  if [[ $1 = *://* ]]; then
    echo "$1"
  else
    /usr/bin/python3 -c 'import pathlib, sys; print(pathlib.Path(sys.argv[1]).resolve().as_uri())' "$1"
  fi
}

# name_of PATH-OR-URI: its last part, fit to name results.
name_of ()
{
  local name
  name=$(basename -- "${1%%\?*}")
  echo "${name//[^A-Za-z0-9._-]/_}"
}

# build_for_here: the project in build/, for the GPU where there is one, and the environment to run it there.
build_for_here ()
{
  # Only a GPU that is here is compiled for: all architectures take several times as long.
  local options=(-Dcuda=disabled) archs targets=(demo)
  mapfile -t archs < <(gpu_archs)
  if [ ${#archs[@]} = 0 ]; then
    say "No NVIDIA GPU found: building for the CPU."
  elif ! have_nvcc; then
    say "An NVIDIA GPU (${archs[*]}) but no nvcc: building for the CPU. With the CUDA toolkit this runs on the GPU."
  elif ! nvcc_has "${archs[@]}"; then
    say "This CUDA toolkit does not know the GPU here (${archs[*]}): building for the CPU."
  else
    say "Building for the GPU here: ${archs[*]}"
    need_packages "build the GPU part" "${PACKAGES_CUDA[@]}"
    options=(-Dcuda=enabled "-Dcuda-archs=$(IFS=, && echo "${archs[*]}")")
  fi
  build build "${options[@]}" -Dintrospection=disabled -Doracle-tests=disabled -Dbenchmarks=disabled 2>&1 \
      || die 1 "the build failed: see above; 'rm -r build' starts afresh"
  GST_PLUGIN_PATH=$PWD/build/gst/elements${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
  GST_REGISTRY=$PWD/build/demo-registry.bin # apart from the user's own
  export GST_PLUGIN_PATH GST_REGISTRY
  # Also scans GStreamer's plugins, the first time: seconds that would count as the pipeline's.
  gst-inspect-1.0 cudacca > /dev/null 2>&1 \
      || die 1 "the plugin does not load; this says why: gst-inspect-1.0 $PWD/build/gst/elements/libgstcudacontours.so"
}

# has_element NAME
has_element ()
{
  gst-inspect-1.0 --exists "$1"
}

# Frames of these can show colours. Where the decoder left them in GPU memory they stay there.
COLOURED='video/x-raw(ANY),format={I420,YV12,NV12,NV21,Y42B,Y444,RGB,BGR,RGBx,BGRx,RGBA,BGRA}'

# about: what the comment at the top of the script says.
about ()
{
  sed -n '3,/^[^#]/s/^#$\|^# //p' "$script"
}

# about_polarity DEFAULT: what --bright and --dark do to a script whose $invert is false, true, or empty where it finds both.
about_polarity ()
{
  local bright="" dark=""
  case $1 in
    false) bright=" (default)" ;;
    true) dark=" (default)" ;;
    *)
      echo "  --bright, --dark  make no difference here: bright and dark are found alike"
      return
      ;;
  esac
  echo "  --bright       finds what is bright on a dark ground$bright"
  echo "  --dark         finds what is dark on a bright ground, such as print$dark; the last of both counts"
}

# about_all DEFAULT: the help of all scripts but demo.sh.
about_all ()
{
  about
  cat << 'TEXT'

FILE is a picture or a video. URI: any that GStreamer plays, such as rtsp://camera/stream. "camera" is the first one.
TEXT
  about_polarity "$1"
  cat << 'TEXT'
  --to window    shows the result (default where there is a display)
  --to FILE.png  writes the last frame (default without a display: a file in out/)
  --to FILE.mp4  writes a video
  --to none      only measures
Cameras and streams are looked at for 10 s, files for 60 s at most; a window has no limit.
TEXT
}

# start SCENE ARGUMENT...: reads a script's arguments, makes the build ready, and sets
#   source    elements that deliver what was asked for, or what build/pipelines/scene draws, on standard input
#   sink      elements that take the frames where they should go
#   download  elements that bring frames of the source to system memory, where they may be elsewhere
#   input     the file, URI or camera; empty: the scene
# --bright and --dark set $invert. An option that is not for all scripts goes to the script's own function "option".
start ()
{
  scene=$1 input="" to=""
  local given=0 default=$invert
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h)
        about_all "$default"
        exit 0
        ;;
      --bright) invert=false ;;
      --dark) invert=true ;;
      --to)
        [ $# -gt 1 ] || die 2 "--to needs a value: window, FILE.png, FILE.mp4 or none"
        to=$2
        shift
        ;;
      --to=*) to=${1#*=} ;;
      -*) option "$1" || die 2 "no option '$1', or not with that value: --help tells what there is" ;;
      *)
        [ $given = 0 ] || die 2 "one input at most, not '$1' too"
        given=1
        input=$(check_input "$1" "$caller_dir") || exit
        ;;
    esac
    shift
  done
  check_target
  need_packages "build the plugin and to decode video" "${PACKAGES_BUILD[@]}" "${PACKAGES_RUN[@]}"
  [ "$to" != window ] || need_packages "show a window" "${PACKAGES_WINDOW[@]}"
  find_camera
  build_for_here
  mkdir -p out
  set_source
  set_sink
}

# check_target: makes $to absolute, chooses one where none was given.
check_target ()
{
  local stem=${0##*/}
  if [ -z "$to" ]; then
    to=${input:+-$(name_of "$input")}
    to=$PWD/out/${stem%.sh}${to%.*}.png
    [ -z "${DISPLAY-}${WAYLAND_DISPLAY-}" ] || to=window
    return
  fi
  case $to in
    none) return ;;
    window)
      [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ] || die 2 "no display for a window: take --to FILE.png, FILE.mp4 or none"
      return
      ;;
    *.png | *.mp4) ;;
    *) die 2 "--to takes window, FILE.png, FILE.mp4 or none, not '$to'" ;;
  esac
  [[ $to = /* ]] || to=$caller_dir/$to
  [ -w "$(dirname "$to")" ] || die 2 "cannot write to the folder of $to"
  [ ! -d "$to" ] || die 2 "this is a folder: $to"
}

# is_picture PATH-OR-URI: one picture, not a video? Of a URI elsewhere only the name is known.
is_picture ()
{
  local path=$1
  case $1 in
    file://*) path=$(/usr/bin/python3 -c 'import sys, urllib.parse as u; print(u.unquote(u.urlparse(sys.argv[1]).path))' "$1") ;;
    *://*)
      [[ ${1%%\?*} =~ \.(png|jpe?g|bmp|tiff?|webp)$ ]]
      return
      ;;
  esac
  gst-typefind-1.0 "$path" 2> /dev/null | grep -v 'image/gif' | grep -q ' - image/'
}

set_source ()
{
  local frames=1
  seconds=$FILE_SECONDS download=()
  [ -z "$input" ] || is_picture "$input" || ! has_element cudadownload || download=(! cudadownload)
  case $input in
    "") source=(uridecodebin uri=fd://0 "caps=video/x-raw(ANY)" expose-all-streams=false ! videoconvert ! "$COLOURED" !) ;;
    /dev/*)
      seconds=$LIVE_SECONDS
      source=(v4l2src "device=$input" ! decodebin ! videoconvert ! "$COLOURED" !)
      ;;
    *)
      [[ $input != *://* || $input = file://* ]] || seconds=$LIVE_SECONDS
      source=(uridecodebin "uri=$(uri_of "$input")" "caps=video/x-raw(ANY)" expose-all-streams=false
        ! videoconvert ! "$COLOURED" !)
      is_picture "$input" || return 0
      # Upright, not larger than $largest, in RGB, whose luma is that of the picture.
      [[ $to != *.mp4 ]] || frames=75
      [ "$to" != window ] || frames=-1
      source=(uridecodebin "uri=$(uri_of "$input")" "caps=video/x-raw(ANY)" expose-all-streams=false
        ! videoconvert ! videoflip video-direction=auto
        ! videoscale ! "video/x-raw,width=[1,$largest],height=[1,$largest],pixel-aspect-ratio=1/1"
        ! videoconvert ! video/x-raw,format=RGB ! imagefreeze "num-buffers=$frames" ! video/x-raw,framerate=25/1 !)
      ;;
  esac
}

# set_sink: counts the frames first. A PNG is made of the last one only.
set_sink ()
{
  local encoder
  sink=(identity name=frames silent=false "${download[@]}")
  case $to in
    none) sink+=(! fakesink sync=false) ;;
    window) sink+=(! videoconvert ! autovideosink) ;;
    *.png)
      last_frame=out/last-frame-$$.ppm
      trap 'rm -f "$last_frame"' EXIT
      sink+=(! videoconvert ! video/x-raw,format=RGB ! pnmenc ! multifilesink "location=$last_frame" sync=false)
      ;;
    *.mp4)
      if has_element nvh264enc; then
        encoder=(nvh264enc bitrate=12000)
      elif has_element x264enc; then
        encoder=(x264enc pass=quant quantizer=20 speed-preset=veryfast)
      else
        encoder=(openh264enc rate-control=off qp-min=18 qp-max=26 complexity=low)
      fi
      # H.264 of even sizes plays everywhere.
      sink+=(! videoconvert ! videoscale ! "video/x-raw,width=[2,16384,2],height=[2,16384,2]"
        ! "${encoder[@]}" ! h264parse ! mp4mux ! filesink "location=$to")
      ;;
  esac
}

scene_length=120 # frames

# scene_frames: what goes to the standard input of a pipeline.
scene_frames ()
{
  [ -n "$input" ] || build/pipelines/scene "$scene" "$scene_length"
}

# play COMMAND...: runs it on the scene or the input, tells its frames and how fast they came; leaves $status, and what it
# said in $log.
play ()
{
  local what=${input:-a scene of its own} started=$SECONDS elapsed
  local limit=(timeout --foreground --preserve-status -s INT -k 10 "$seconds")
  log=out/$(basename "${0%.sh}").log
  [ "$to" != window ] || limit=()
  [ "$to" = none ] || [ "$to" = window ] || rm -f "$to"
  say "Running on $what"
  # The interrupt makes the pipeline end in order. LC_ALL: its words are looked for.
  trap : INT
  set +e
  LC_ALL=C "${limit[@]}" "$@" 2>&1 < <(scene_frames) | /usr/bin/python3 pipelines/frames.py "$counted" "$log"
  status=${PIPESTATUS[0]}
  set -e
  trap - INT
  elapsed=$((SECONDS - started))
  [ "$(tail -n 1 "$log")" != "0 frames" ] || no_frames "$what" "$elapsed"
  [ ${#limit[@]} = 0 ] || [ "$elapsed" -lt "$seconds" ] || echo "Stopped after $seconds s."
  # Whoever closes the window has seen enough.
  [ "$to" != window ] || ! grep -q "Output window was closed" "$log" || status=0
  [[ $to != *.png ]] || gst-launch-1.0 -q filesrc "location=$last_frame" ! pnmdec ! videoconvert ! pngenc \
      ! filesink "location=$to" || die 1 "the picture could not be written: $to"
}
counted="frames: last-message = chain" # what a line has that stands for a frame

# tell_result: where it lies.
tell_result ()
{
  case $to in
    *.png) echo "Picture: $to" ;;
    *.mp4) echo "Video: $to" ;;
  esac
}

# no_frames WHAT ELAPSED: says why nothing came, in so many seconds.
no_frames ()
{
  local error message
  error=$(grep -m 1 -E '^ERROR: from element|^WARNING: erroneous|^[a-z0-9+]+://.*: ' "$log" || true)
  message=$(sed -E 's/^ERROR: from element [^ ]+: //; s|^[a-z0-9+]+://[^ ]*: ||' <<< "$error")
  case $error in
    "")
      [ "$2" -ge "$seconds" ] || die 2 "cannot get pictures from $1: it ended without one (all messages: $PWD/$log)"
      die 1 "no frame came from $1 within $seconds s (all messages: $PWD/$log)"
      ;;
    *erroneous* | *GstCudaC* | *GstCudaS* | *GstCudaB* | *GstContour* | *Enc:* | *Sink:*)
      die 1 "the pipeline failed: $message (all messages: $PWD/$log)"
      ;;
    *) die 2 "cannot get pictures from $1: $message (all messages: $PWD/$log)" ;;
  esac
}

# launch ELEMENT...: plays source, these, sink.
launch ()
{
  play gst-launch-1.0 -e -v "${source[@]}" "$@" ! "${sink[@]}"
  tell_result
  [ "$status" = 0 ] || die 1 "the pipeline ended before its time: $(grep -m 1 '^ERROR' "$log") (all messages: $PWD/$log)"
}
