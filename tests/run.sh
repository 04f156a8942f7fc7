#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# run.sh: installs what is missing, builds, and runs every check there is; ends with "N passed, N failed, N skipped".
set -uo pipefail

cd "$(dirname "$(readlink -f "$0")")/.." || exit
. pipelines/lib.sh
exec < /dev/null

# Debian's own python3 has the GObject bindings that tests use; another one may come first on PATH.
PATH=/usr/bin:/bin:$PATH
TESTS=build-tests
PACKAGES_TEST=(g++ libopencv-dev gstreamer1.0-opencv libgirepository1.0-dev python3-gst-1.0 python3-numpy
  gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0 python3-shapely python3-pil python3-pip librsvg2-bin valgrind gi-docgen clang clang-format
  shellcheck aravis-tools gir1.2-gst-rtsp-server-1.0 chromium openssl prometheus-cpp-dev python3-prometheus-client
  faketime iproute2 mosquitto mosquitto-clients postgresql python3-paho-mqtt python3-psycopg python3-systemd)
export GST_REGISTRY=$PWD/$TESTS/registry.bin # apart from the user's own
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0

passed=0 failed=0 skipped=0 failures=()
rm -f $TESTS/failed.txt # what failed tests have printed

count ()
{
  case $1 in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *)
      failed=$((failed + 1))
      failures+=("$2")
      ;;
  esac
}

# check NAME COMMAND...: one check, by its exit status as Meson reads it (77: skipped).
check ()
{
  local name=$1 status started=$SECONDS
  shift
  say "$name"
  "$@"
  status=$?
  count $status "$name"
  echo "-- $name: exit status $status after $((SECONDS - started)) s"
  return $status
}

# repeat_alone DIR RESULTS: tests with servers or a browser have limits of time, and may fail beside others on two cores. Those that
# failed run once more, alone. Prints the results with theirs.
repeat_alone ()
{
  local status test
  while read -r status test; do
    if [ "$status" = 1 ] && [[ $test =~ (broker|dashboard|plant|archive|metrics)\ /\ (.*) ]]; then
      say "$test once more, alone" >&2
      meson test -C "$1" --no-rebuild --print-errorlogs --timeout-multiplier 4 --logbase again "${BASH_REMATCH[2]}" < /dev/null >&2 \
          && status=0
    fi
    echo "$status $test"
  done <<< "$2"
}

# meson_tests NAME DIR ARGUMENT...: runs the tests registered in DIR, or those that the arguments of "meson test" choose, and
# counts each of them.
meson_tests ()
{
  local name=$1 dir=$2 log=$2/meson-logs/testlog-retry_lsan.sh.json status results first test
  shift 2
  say "$name"
  rm -f "$log"
  meson test -C "$dir" --no-rebuild --print-errorlogs --timeout-multiplier 4 --wrapper "'$PWD/tests/retry_lsan.sh'" "$@"
  status=$?
  results=$(/usr/bin/python3 - "$log" $TESTS/failed.txt << 'PYTHON'
import json, sys
STATUS = {'OK': 0, 'EXPECTEDFAIL': 0, 'SKIP': 77}
for line in open(sys.argv[1]):
    test = json.loads(line)
    status = STATUS.get(test['result'], 1)
    print(status, test['name'])
    if status == 1:
        output = (test.get('stdout', '') + test.get('stderr', '')).splitlines()[-30:]
        with open(sys.argv[2], 'a') as file:
            print(f"== {test['name']}: {test['result']} after {test['duration']:.1f} s", *output, sep='\n', file=file)
PYTHON
  )
  [ -n "$results" ] || results="1 no test ran"
  first=$results
  results=$(repeat_alone "$dir" "$results")
  [ $status = 0 ] || grep -q "^1" <<< "$first" || results+=$'\n1 meson test'
  while read -r status test; do
    count "$status" "$name: $test"
  done <<< "$results"
}

# The version that the formatting was made with: others differ in places.
format_check ()
{
  clang-format --version | grep -qF 'version 14.' || return 77
  find include core cpu cuda gst tests pipelines -regex '.*\.\(c\|cc\|h\|cu\|cuh\)' \
      -exec clang-format --dry-run -Werror {} +
}

# The GPU backend launches kernels with the functions of launch.cuh, which launch none behind one that could not be launched.
launch_check ()
{
  local others
  others=$(grep -rnE '<<<|cudaLaunch(Cooperative)?Kernel' cuda --include='*.cu' --include='*.cuh' --exclude=launch.cuh)
  [ -z "$others" ] || { echo "$others" && return 1; }
}

# Every element of the plugin introduces itself, without a word on stderr.
inspect_elements ()
{
  local elements element complaint
  export GST_PLUGIN_PATH=$TESTS/release/gst/elements
  elements=$(gst-inspect-1.0 cudacontours | sed -n 's/^  \([a-z0-9]*\): .*/\1/p')
  for element in $elements; do
    echo "$element"
    if ! complaint=$(gst-inspect-1.0 "$element" 2>&1 > /dev/null) || [ -n "$complaint" ]; then
      echo "$element: $complaint"
      return 1
    fi
  done
  unset GST_PLUGIN_PATH
  [ -n "$elements" ]
}

# in_time NAME MINUTES: all checks have 35 minutes. Checks that others cover in part are left out when more than MINUTES are over.
in_time ()
{
  [ -n "${CTR_TEST_FULL-}" ] || [ $SECONDS -le $(($2 * 60)) ] || {
    echo "$1 is left out, as $((SECONDS / 60)) minutes are over: set CTR_TEST_FULL=1 to run everything, however long it takes."
    return 77
  }
}

build_with_clang ()
{
  in_time Clang 29 || return
  CC=clang CXX=clang++ build $TESTS/clang --buildtype=plain -Dwerror=true -Dcuda=disabled \
      -Dintrospection=disabled -Doracle-tests=disabled -Demulation-tests=disabled -Dbenchmarks=disabled
}

# The tests with threads alone, and pipelines beside each other. Some kernels place programs where GCC's ThreadSanitizer cannot work.
build_for_threads ()
{
  local probe=$TESTS/thread-sanitizer targets=(tests/core/{parallel,threads,paint-queue,settling,shared-results,sharing-of-bands}
    gst/elements/libgstcudacontours.so tests/reliability/reliability-parallel)
  in_time ThreadSanitizer 31 || return
  gcc -fsanitize=thread -x c -o "$probe" - <<< "int main (void) { return 0; }" && "$probe" || return 77
  build $TESTS/threads -Db_sanitize=thread -Db_lundef=false -Dcuda=disabled -Dintrospection=disabled \
      -Doracle-tests=disabled -Dbenchmarks=disabled
}

# The last commit with the newer GStreamer of Debian 13.
check_debian ()
{
  [ -z "${IN_DEBIAN_SH-}" ] || return 77
  in_time "Debian 13" 27 || return
  tests/debian.sh ./tests/short.sh
}

[ "$(id -u)" != 0 ] || PACKAGES_TEST+=(debootstrap)
need_packages "build and test" "${PACKAGES_BUILD[@]}" "${PACKAGES_CUDA[@]}" "${PACKAGES_RUN[@]}" "${PACKAGES_WINDOW[@]}" \
  "${PACKAGES_ARAVIS[@]}" "${PACKAGES_DASHBOARD[@]}" "${PACKAGES_MQTT[@]}" "${PACKAGES_TEST[@]}"

# Debian has no pycocotools. Without it the test of COCO reads the documents itself.
/usr/bin/python3 -c 'import pycocotools' 2> /dev/null || [ -d $TESTS/python/pycocotools ] \
    || /usr/bin/python3 -m pip --disable-pip-version-check install -q --root-user-action=ignore --no-deps \
      --target $TESTS/python pycocotools || say "No pycocotools: COCO is tested without."
# Debian's OpenCV is older than 4.13, which cudaborders' epsilon follows.
[ -d $TESTS/python/cv2 ] \
    || /usr/bin/python3 -c 'import cv2, sys; sys.exit([int(n) for n in cv2.__version__.split(".")[:2]] < [4, 13])' 2> /dev/null \
    || /usr/bin/python3 -m pip --disable-pip-version-check install -q --root-user-action=ignore --no-deps \
      --only-binary :all: --target $TESTS/python 'opencv-python-headless>=4.13' \
    || say "No OpenCV 4.13 for Python could be installed: the test against it is skipped."
export PYTHONPATH=$PWD/$TESTS/python
# Ray is in no Debian, and with it comes a NumPy that other modules of Debian cannot load: so it has a folder of its own.
export CTR_TEST_RAY=$PWD/$TESTS/ray
[ -d "$CTR_TEST_RAY/ray" ] \
    || /usr/bin/python3 -m pip --disable-pip-version-check install -q --root-user-action=ignore --only-binary :all: \
      --target "$CTR_TEST_RAY" ray pyarrow tqdm 'numpy>=2' \
    || say "Ray could not be installed: archive.py is not tested."

cuda=(-Dcuda=disabled)
mapfile -t archs < <(gpu_archs)
if ! have_nvcc; then
  say "No nvcc: testing without the GPU backend."
else
  # Without a GPU one architecture shows that the kernels compile.
  if [ ${#archs[@]} = 0 ]; then
    archs=(sm_90)
    # Nothing runs the kernels, so nvcc may optimise less, which takes less time. An older nvcc has such an option for ptxas alone.
    export NVCC_APPEND_FLAGS="-Xptxas -O1"
    ! nvcc --help | grep -e --Ofast-compile > /dev/null || NVCC_APPEND_FLAGS=-Ofc=max
  fi
  nvcc_has "${archs[@]}" || archs=("$(nvcc --list-gpu-code | grep -E '^sm_[0-9]+$' | sort -V | tail -n 1)")
  say "Compiling the GPU backend for ${archs[*]}."
  cuda=(-Dcuda=enabled "-Dcuda-archs=$(IFS=, && echo "${archs[*]}")")
fi

# Shorter tests run the same code as those of the suite "long", which CTR_TEST_FULL=1 runs, too. Those of the suite "last" come later.
long=(--no-suite long)
[ -z "${CTR_TEST_FULL-}" ] || long=()

# auto_features: here nothing may be left out unnoticed, but for what GStreamer 1.22 does not have.
analytics=disabled
! pkg-config --exists 'gstreamer-analytics-1.0 >= 1.24' || analytics=enabled
if check "build" build $TESTS/release --buildtype=release -Dwerror=true -Dauto_features=enabled -Danalytics=$analytics "${cuda[@]}"; then
  meson_tests "tests" $TESTS/release "${long[@]}" --no-suite last
  check "gst-inspect" inspect_elements
fi

# Reports need the lines, not the variables, of stacks. CTR_TEST_FULL=1 has the emulated kernels, too, which take four minutes.
emulation=(-Demulation-tests=disabled)
[ -z "${CTR_TEST_FULL-}" ] || emulation=()
if check "build with AddressSanitizer and UndefinedBehaviorSanitizer" build $TESTS/sanitizers \
    --buildtype=plain -Doptimization=1 -Dc_args=-g1 -Dcpp_args=-g1 -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false -Dcuda=disabled \
    -Dintrospection=disabled -Doracle-tests=disabled -Dbenchmarks=disabled "${emulation[@]}"; then
  # Whether results are right, the tests above have shown at length.
  CTR_TEST_QUICK=1 meson_tests "sanitizers" $TESTS/sanitizers
fi

check "clang-format" format_check
check "launches of kernels" launch_check
check "shellcheck" shellcheck -x pipelines/*.sh pipelines/dashboard/*.sh tests/*.sh tests/{fuzz,reliability}/*.sh .ci/run
check "demo" tests/demo.sh
check "pipelines" tests/pipelines.sh

if check "time for the last tests" in_time "Most of the watch for races in emulated kernels" 27; then
  meson_tests "last tests" $TESTS/release "${long[@]}" --suite last
fi

# The same sources, another compiler.
if check "build with Clang" build_with_clang; then
  CTR_TEST_QUICK=1 meson_tests "Clang" $TESTS/clang --suite core --suite fuzz
fi

thread_tests=({borders,canny,cca,cracks,paint,snake}-threads parallel paint-queue settling shared-results sharing-of-bands)
if check "build with ThreadSanitizer" build_for_threads; then
  # Everything is bound before main(), as where programs are hardened.
  LD_BIND_NOW=1 CTR_TEST_QUICK=1 meson_tests "threads" $TESTS/threads "${thread_tests[@]/%/-cpu}" reliability-parallel
fi

check "Debian 13" check_debian

[ $failed = 0 ] || {
  [ ! -f $TESTS/failed.txt ] || cat $TESTS/failed.txt
  say "Failed:"
  printf '  %s\n' "${failures[@]}"
}
printf '\n%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed = 0 ]
