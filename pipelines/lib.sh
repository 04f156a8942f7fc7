# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034,SC2054,SC2154
# Functions of the scripts here and of tests/run.sh: packages, the GPU, the build, sources and sinks. The working directory
# has to be the root of the project.

PACKAGES_BUILD=(gcc libc6-dev meson ninja-build pkg-config libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  libpango1.0-dev libpng-dev libyaml-dev libmosquitto-dev librdkafka-dev)
PACKAGES_CUDA=(g++ libgstreamer-plugins-bad1.0-dev)
PACKAGES_RUN=(python3-minimal gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad gstreamer1.0-libav fonts-dejavu-core)
PACKAGES_WINDOW=(gstreamer1.0-x) # windows and text
PACKAGES_ARAVIS=(libaravis-0.8-0) # cameras of GigE Vision and USB3 Vision
PACKAGES_DASHBOARD=(python3-gst-1.0 gir1.2-gst-plugins-base-1.0 python3-aiohttp libjs-chart.js)
PACKAGES_MQTT=(python3-paho-mqtt)

LIVE_SECONDS=10 # cameras and streams do not end
FILE_SECONDS=60 # longer videos are cut
largest=1920    # pixels per side; larger images are scaled down

say ()
{
  printf '\n== %s\n' "$*"
}

# die STATUS SENTENCE: reports an error and exits.
die ()
{
  printf '%s: %s\n' "${0##*/}" "$2" >&2
  exit "$1"
}

# install_packages PURPOSE PACKAGE...: installs the Debian packages that are missing. If none is missing, it does not start
# apt. On failure $problem has the reason. The output of apt goes to the standard output, so that the standard error output
# has only the messages of the caller.
install_packages ()
{
  local purpose=$1 package missing=()
  shift
  if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
    say "There is no apt-get. These packages, or their equivalents on your system, must be installed already: $*"
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
      problem="Installing packages needs root or sudo. Have these packages installed, then run the script again: ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
    [ -t 0 ] || as_root+=(-n)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300
    -o Acquire::Retries=3)
  "${apt[@]}" update < /dev/null 2>&1 || say "The package lists could not be updated. The script continues with the present ones."
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null 2>&1 && return
  problem="apt-get could not install the packages above. Check the network; Debian 12 or newer is required."
  return 1
}

# need_packages PURPOSE PACKAGE...: like install_packages, but exits on failure.
need_packages ()
{
  install_packages "$@" || die 1 "$problem"
}

# have_nvcc: whether there is a CUDA compiler. Adds the default folder of the toolkit to PATH.
have_nvcc ()
{
  command -v nvcc > /dev/null || PATH=$PATH:/usr/local/cuda/bin
  command -v nvcc > /dev/null
}

# gpu_archs: prints the architectures of the GPUs of this machine, such as "sm_90".
gpu_archs ()
{
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | grep -E '^[0-9]+\.[0-9]+$' | tr -d . \
      | sort -u | sed 's/^/sm_/'
}

# nvcc_has ARCH...: whether nvcc can compile for all of them.
nvcc_has ()
{
  local arch offered
  offered=$(nvcc --list-gpu-code 2> /dev/null)
  for arch; do
    grep -qx "$arch" <<< "$offered" || return 1
  done
}

# build DIR OPTION...: configures DIR with Meson, unless it has been configured with these options already, and compiles
# $targets, or everything. A DIR that was configured by hand keeps its options.
targets=()
build ()
{
  local dir=$1 wanted stamp=$1/configured-by-script
  shift
  wanted="$PWD $*"
  if [ -f "$dir/build.ninja" ] && [ ! -f "$stamp" ]; then
    echo "$dir/ was configured by hand and keeps its options."
  elif [ ! -f "$stamp" ] || [ "$(< "$stamp")" != "$wanted" ]; then
    [ ! -f "$stamp" ] || rm -rf "$dir"
    meson setup "$dir" "$@" || return
    printf '%s' "$wanted" > "$stamp"
  fi
  ninja -C "$dir" "${targets[@]}"
}

# is_camera DEVICE: whether a video device delivers frames. Many cameras have a second device, which delivers only metadata.
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

# first_camera: prints the first camera, if there is one.
first_camera ()
{
  local device
  for device in /dev/video*; do
    is_camera "$device" || continue
    echo "$device"
    return
  done
}

# find_camera: replaces "camera" in $input by its device, checks that a device is a camera, and installs Aravis for its cameras.
find_camera ()
{
  case $input in
    /dev/*) is_camera "$input" || die 2 "not a camera: $input delivers no frames" ;;
    camera)
      input=$(first_camera)
      [ -n "$input" ] || die 2 "no camera found: no /dev/video device delivers frames"
      ;;
    aravis | aravis:*)
      need_packages "read the camera with Aravis" "${PACKAGES_ARAVIS[@]}"
      gst-inspect-1.0 aravissrc > /dev/null 2>&1 || die 1 "GStreamer does not find the element aravissrc: check the installation of Aravis"
      ;;
  esac
}

# check_input ARGUMENT DIR: checks an input. Prints the URI, the camera, or the absolute path of a file relative to DIR.
check_input ()
{
  local path=$1
  case $1 in
    "") die 2 "the argument is empty: give a file, a URI or a camera device such as /dev/video0" ;;
    camera | aravis | *://*) ;;
    aravis:*) [ -n "${1#*:}" ] || die 2 "no camera name in '$1': arv-tool-0.8 lists the names, and 'aravis' is the first camera" ;;
    /dev/*)
      [ -e "$1" ] || die 2 "no such camera: $1"
      [ -r "$1" ] || die 2 "no permission to read $1: add your user to the group 'video'"
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

# uri_of PATH-OR-URI: prints the URI.
uri_of ()
{
  if [[ $1 = *://* ]]; then
    echo "$1"
  else
    /usr/bin/python3 -c 'import pathlib, sys; print(pathlib.Path(sys.argv[1]).resolve().as_uri())' "$1"
  fi
}

# name_of PATH-OR-URI: prints its last part, as a name for results, which everyone may see: without user and password.
name_of ()
{
  local name
  name=$(basename -- "$(sed -E 's,^[A-Za-z][A-Za-z0-9+.-]*://[^/]*@,,; s,\?.*,,' <<< "$1")")
  echo "${name//[^A-Za-z0-9._-]/_}"
}

# build_for_here: builds the project in build/, for the GPU if there is one, and sets the environment to run it.
build_for_here ()
{
  # Compiling for all architectures would take several times as long.
  local options=(-Dcuda=disabled) archs targets=(demo)
  mapfile -t archs < <(gpu_archs)
  if [ ${#archs[@]} = 0 ]; then
    say "There is no NVIDIA GPU. Building for the CPU."
  elif ! have_nvcc; then
    say "There is an NVIDIA GPU (${archs[*]}), but no nvcc. Building for the CPU. Install the CUDA toolkit to use the GPU."
  elif ! nvcc_has "${archs[@]}"; then
    say "The CUDA toolkit does not support this GPU (${archs[*]}). Building for the CPU."
  else
    say "Building for the GPU: ${archs[*]}"
    need_packages "build the GPU part" "${PACKAGES_CUDA[@]}"
    options=(-Dcuda=enabled "-Dcuda-archs=$(IFS=, && echo "${archs[*]}")")
  fi
  build build "${options[@]}" -Dintrospection=disabled -Doracle-tests=disabled -Dbenchmarks=disabled 2>&1 \
      || die 1 "the build failed, see above; after 'rm -r build' it starts from scratch"
  GST_PLUGIN_PATH=$PWD/build/gst/elements${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
  GST_REGISTRY=$PWD/build/demo-registry.bin # not that of the user
  export GST_PLUGIN_PATH GST_REGISTRY
  # The first call also scans all plugins for some seconds, which should not count as time of the pipeline.
  gst-inspect-1.0 cudacca > /dev/null 2>&1 \
      || die 1 "the plugin cannot be loaded; for the reason run: gst-inspect-1.0 $PWD/build/gst/elements/libgstcudacontours.so"
}

# has_element NAME: whether GStreamer itself has this element. Plugins of others have versions of their own, which --exists refuses.
has_element ()
{
  gst-inspect-1.0 --exists "$1"
}

# Formats in which the overlay can draw in colour. Frames in GPU memory stay there.
COLOURED='video/x-raw(ANY),format={I420,YV12,NV12,NV21,Y42B,Y444,RGB,BGR,RGBx,BGRx,RGBA,BGRA}'

# about: prints the comment at the top of the script.
about ()
{
  sed -n '3,/^[^#]/s/^#$\|^# //p' "$script"
}

# about_polarity DEFAULT: prints the help of --bright and --dark. DEFAULT is the $invert of the script: false, true, or empty
# if it makes no difference.
about_polarity ()
{
  local bright="" dark=""
  case $1 in
    false) bright=" (default)" ;;
    true) dark=" (default)" ;;
    *)
      echo "  --bright, --dark  make no difference to this script, which detects bright and dark objects alike"
      return
      ;;
  esac
  echo "  --bright       detects bright objects on a dark background$bright"
  echo "  --dark         detects dark objects on a bright background, such as print$dark; the last of both options counts"
}

# about_all DEFAULT: prints the help of a script other than demo.sh.
about_all ()
{
  about
  cat << 'TEXT'

FILE is an image or a video, URI any that GStreamer plays, such as rtsp://camera/stream, "camera" the first camera
of the system, "aravis" the first one of GigE Vision or USB3 Vision, or that with this name (arv-tool-0.8 lists them).
TEXT
  about_polarity "$1"
  cat << 'TEXT'
  --to window    shows the result (default with a display)
  --to FILE.png  writes the last frame (default without a display, to a file in out/)
  --to FILE.mp4  writes a video
  --to none      only measures the speed
Scripts read cameras and streams for 10 s and files for up to 60 s. A window stays until you close it.
TEXT
}

# start SCENE ARGUMENT...: parses the arguments of a script, builds the project, and sets
#   source    the elements that deliver the frames of the input, or those of build/pipelines/scene on the standard input
#   sink      the elements that show or write the result
#   download  the elements that copy frames to system memory, if the source may deliver others
#   input     the file, URI or camera; empty for the scene
# --bright and --dark set $invert. The function "option" of the script handles its own options.
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
      -*) option "$1" || die 2 "no option '$1', or an invalid value: --help lists the options" ;;
      *)
        [ $given = 0 ] || die 2 "one input at most: '$1' is the second one"
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

# check_target: checks $to and makes it absolute, or sets the default.
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
      [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ] || die 2 "no display for a window: use --to FILE.png, FILE.mp4 or none"
      return
      ;;
    *.png | *.mp4) ;;
    *) die 2 "--to takes window, FILE.png, FILE.mp4 or none, not '$to'" ;;
  esac
  [[ $to = /* ]] || to=$caller_dir/$to
  [ -w "$(dirname "$to")" ] || die 2 "cannot write to the folder of $to"
  [ ! -d "$to" ] || die 2 "this is a folder: $to"
}

# is_image PATH-OR-URI: whether this is an image, not a video. For a remote URI the name decides.
is_image ()
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

# set_source: sets $source, $download and the limit of time $seconds.
set_source ()
{
  local frames=1
  seconds=$FILE_SECONDS download=()
  [ -z "$input" ] || is_image "$input" || ! has_element cudadownload || download=(! cudadownload)
  case $input in
    "") source=(uridecodebin uri=fd://0 "caps=video/x-raw(ANY)" expose-all-streams=false ! videoconvert ! "$COLOURED" !) ;;
    /dev/*)
      seconds=$LIVE_SECONDS
      source=(v4l2src "device=$input" ! decodebin ! videoconvert ! "$COLOURED" !)
      ;;
    aravis | aravis:*)
      seconds=$LIVE_SECONDS
      source=(aravissrc)
      [ "$input" = aravis ] || source+=("camera-name=${input#aravis:}")
      source+=(! videoconvert ! "$COLOURED" !)
      ;;
    *)
      [[ $input != *://* || $input = file://* ]] || seconds=$LIVE_SECONDS
      source=(uridecodebin "uri=$(uri_of "$input")" "caps=video/x-raw(ANY)" expose-all-streams=false
        ! videoconvert ! "$COLOURED" !)
      is_image "$input" || return 0
      # Upright, with sides up to $largest, and in RGB, whose luma is that of the image.
      [[ $to != *.mp4 ]] || frames=75
      [ "$to" != window ] || frames=-1
      source=(uridecodebin "uri=$(uri_of "$input")" "caps=video/x-raw(ANY)" expose-all-streams=false
        ! videoconvert ! videoflip video-direction=auto
        ! videoscale ! "video/x-raw,width=[1,$largest],height=[1,$largest],pixel-aspect-ratio=1/1"
        ! videoconvert ! video/x-raw,format=RGB ! imagefreeze "num-buffers=$frames" ! video/x-raw,framerate=25/1 !)
      ;;
  esac
}

# set_sink: sets $sink, which begins with an element that counts frames. Of these only the last one becomes a PNG.
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
      # All players support even sizes.
      sink+=(! videoconvert ! videoscale ! "video/x-raw,width=[2,16384,2],height=[2,16384,2]"
        ! "${encoder[@]}" ! h264parse ! mp4mux ! filesink "location=$to")
      ;;
  esac
}

# sink_text: prints the elements of $sink in the syntax of gst-launch-1.0, with quoted values.
sink_text ()
{
  local word value elements=""
  for word in "${sink[@]}"; do
    if [[ $word =~ ^[a-z-]+= ]]; then
      value=${word#*=} && value=${value//\\/\\\\}
      word="${word%%=*}=\"${value//\"/\\\"}\""
    fi
    elements+=" $word"
  done
  printf '%s' "$elements"
}

scene_length=120 # frames

# scene_frames: prints the video for the standard input of a pipeline.
scene_frames ()
{
  [ -n "$input" ] || build/pipelines/scene "$scene" "$scene_length"
}

# play COMMAND...: runs a pipeline on the scene or the input, and prints the number of frames and their rate. Sets $status,
# and $log to the file of all messages.
play ()
{
  local what=${input:-a generated scene} started=$SECONDS elapsed
  local limit=(timeout --foreground --preserve-status -s INT -k 10 "$seconds")
  log=out/$(basename "${0%.sh}").log
  [ "$to" != window ] || limit=()
  [ "$to" = none ] || [ "$to" = window ] || rm -f "$to"
  say "Running on $what"
  # The trap lets Ctrl+C reach only the pipeline, which then completes its files. Messages are matched in English.
  trap : INT
  set +e
  LC_ALL=C "${limit[@]}" "$@" 2>&1 < <(scene_frames) | /usr/bin/python3 pipelines/frames.py "$counted" "$log"
  status=${PIPESTATUS[0]}
  set -e
  trap - INT
  elapsed=$((SECONDS - started))
  [ "$(tail -n 1 "$log")" != "0 frames" ] || no_frames "$what" "$elapsed"
  [ ${#limit[@]} = 0 ] || [ "$elapsed" -lt "$seconds" ] || echo "Stopped after $seconds s."
  # Closing the window is no error.
  [ "$to" != window ] || ! grep -q "Output window was closed" "$log" || status=0
  [[ $to != *.png ]] || gst-launch-1.0 -q filesrc "location=$last_frame" ! pnmdec ! videoconvert ! pngenc \
      ! filesink "location=$to" || die 1 "the image cannot be written: $to"
}
counted="frames: last-message = chain" # matches one line per frame

# print_result: prints the path of the result.
print_result ()
{
  case $to in
    *.png) echo "Image: $to" ;;
    *.mp4) echo "Video: $to" ;;
  esac
}

# no_frames INPUT ELAPSED: exits with the reason why no frame came within ELAPSED seconds.
no_frames ()
{
  local error message
  error=$(grep -m 1 -E '^ERROR: from element|^WARNING: erroneous|^[a-z0-9+]+://.*: ' "$log" || true)
  message=$(sed -E 's/^ERROR: from element [^ ]+: //; s|^[a-z0-9+]+://[^ ]*: ||' <<< "$error")
  case $error in
    "")
      [ "$2" -ge "$seconds" ] || die 2 "cannot read frames from $1: it has none (all messages: $PWD/$log)"
      die 1 "no frame came from $1 within $seconds s (all messages: $PWD/$log)"
      ;;
    *erroneous* | *GstCudaC* | *GstCudaS* | *GstCudaB* | *GstContour* | *Enc:* | *Sink:*)
      die 1 "the pipeline failed: $message (all messages: $PWD/$log)"
      ;;
    *) die 2 "cannot read frames from $1: $message (all messages: $PWD/$log)" ;;
  esac
}

# launch ELEMENT...: runs the pipeline of source, these elements and sink.
launch ()
{
  play gst-launch-1.0 -e -v "${source[@]}" "$@" ! "${sink[@]}"
  print_result
  [ "$status" = 0 ] || die 1 "the pipeline failed: $(grep -m 1 '^ERROR' "$log") (all messages: $PWD/$log)"
}
