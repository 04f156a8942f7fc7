#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# debian.sh [--suite=SUITE] [COMMAND [ARGUMENT]...]
#
# Runs a command of this project on a bare Debian: in a clone of the last commit, in a system that debootstrap makes (minbase)
# and that is removed afterwards. The default is ./tests/run.sh on Debian 13, "trixie"; "bookworm" is Debian 12.
#   tests/debian.sh ./pipelines/demo.sh
#   tests/debian.sh --suite=bookworm ./tests/run.sh
# Needs root, debootstrap and about 6 GB in TMPDIR. A system is kept as an archive in ~/.cache/gst-cuda-contours for a day.
# DEBIAN_MIRROR is the mirror. Exits with the status of the command, and with 77 where such a system cannot be made.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # debootstrap, chroot
cd "$(dirname "$(readlink -f "$0")")/.."

skip ()
{
  echo "debian.sh: $*" >&2
  exit 77
}

suite=trixie
while [[ ${1-} = -* ]]; do
  case $1 in
    --suite=?*) suite=${1#*=} ;;
    --help | -h)
      sed -n '3,/^[^#]/s/^#$\|^# //p' "$0"
      exit
      ;;
    *)
      echo "debian.sh: no option '$1': --help lists the options" >&2
      exit 2
      ;;
  esac
  shift
done
[ $# -gt 0 ] || set -- ./tests/run.sh
[ "$(id -u)" = 0 ] || skip "making a system needs root"
command -v debootstrap > /dev/null || skip "debootstrap is not installed"

mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
archive=${XDG_CACHE_HOME:-$HOME/.cache}/gst-cuda-contours/$suite.tar
root=$(mktemp -d)
# Besides /proc, a test that makes network namespaces leaves a mount.
# shellcheck disable=SC2317 # The trap calls it.
remove_root ()
{
  awk -v root="$root/" 'index ($2, root) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount
  rm -rf --one-file-system "$root"
}
trap remove_root EXIT

if [ -n "$(find "$archive" -mtime -1 2> /dev/null)" ]; then
  tar -C "$root" -xf "$archive"
else
  debootstrap --variant=minbase "$suite" "$root" "$mirror" > "$root.log" 2>&1 || skip "debootstrap failed, see $root.log"
  rm "$root.log"
  mkdir -p "$(dirname "$archive")"
  tar -C "$root" -cf "$archive.$$" . && mv "$archive.$$" "$archive"
fi

chmod 755 "$root" # for servers that do not run as root

# What leads to the network here: proxies, name servers, certificates of a firewall.
environment=(IN_DEBIAN_SH=1 HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8)
certificates=/etc/ssl/certs/ca-certificates.crt
kept=/usr/local/share/certificates-of-the-host.crt # packages of the new system replace the file above
for file in /etc/resolv.conf /etc/pip.conf $certificates $(grep -lsE 'Proxy|CaInfo|Verify' /etc/apt/apt.conf.d/*); do
  [ ! -e "$file" ] || install -D -m 644 "$file" "$root$file"
done
if [ -e $certificates ]; then
  install -D -m 644 $certificates "$root$kept"
  environment+=("SSL_CERT_FILE=$kept" "PIP_CERT=$kept")
fi
for name in http_proxy https_proxy no_proxy; do
  [ -z "${!name-}" ] || environment+=("$name=${!name}")
done
mount -t proc proc "$root/proc" || skip "proc cannot be mounted here"
git clone -q . "$root/src"
status=0
chroot "$root" env -i "${environment[@]}" sh -c 'cd /src && exec "$@"' sh "$@" || status=$?
exit $status
