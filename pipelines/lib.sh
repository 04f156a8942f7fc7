# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034
# What pipelines/demo.sh and tests/run.sh share: packages, the GPU, the build. Sourced with the project's root as the
# working directory.

PACKAGES_BUILD=(gcc libc6-dev meson ninja-build pkg-config libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  libpango1.0-dev)
PACKAGES_CUDA=(g++ libgstreamer-plugins-bad1.0-dev)
PACKAGES_RUN=(python3-minimal gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad gstreamer1.0-libav)

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

# need_packages PURPOSE PACKAGE...: installs those Debian packages that are missing; does nothing, not even ask apt,
# when all are there.
need_packages ()
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
    command -v sudo > /dev/null \
        || die 1 "not root and no sudo: have these packages installed, then run again: ${missing[*]}"
    as_root=(sudo)
    [ -t 0 ] || as_root+=(-n)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300
    -o Acquire::Retries=3)
  "${apt[@]}" update < /dev/null || say "The package lists could not be renewed: trying with those that are there."
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null \
      || die 1 "apt-get could not install the packages above: is the network up, and is this Debian 12 or newer?"
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

# build DIR OPTION...: configures DIR with Meson where that is not done yet with these options, and compiles. A DIR that
# somebody configured by hand is compiled as it is.
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
  ninja -C "$dir"
}
