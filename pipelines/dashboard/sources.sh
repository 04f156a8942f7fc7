#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# sources.sh build [PACKAGE]...: installs the packages of the dashboard and these, and builds the plugin and the scenes.
# sources.sh packages PACKAGE...: only installs these.
# sources.sh describe FOLDER [SOURCE]...: checks the sources, with paths relative to FOLDER, and prints a line for each: its
# kind (scene, file or live), its name, and its elements in the syntax of gst-launch-1.0, separated by tabs. Messages go to the
# standard error output.
set -euo pipefail
exec 3>&1 1>&2
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
. pipelines/lib.sh

# describe FOLDER SOURCE: prints the line of a source. "scene:NAME" and the empty one are generated.
describe ()
{
  local to=window kind=file name scene=parts scene_names='parts|uneven|coins|caps|plate|nested|depth|targets|washer|page'
  local source=() sink=() seconds download
  input=$2
  case $2 in
    "" | scene:*)
      [ -z "$2" ] || scene=${2#scene:}
      [[ $scene =~ ^($scene_names)$ ]] || die 2 "no scene '$scene': the scenes are ${scene_names//|/, }"
      kind=scene name=$scene input=""
      ;;
    *)
      input=$(check_input "$2" "$1") || exit
      find_camera
      name=$(name_of "$input")
      ;;
  esac
  set_source
  case $input in
    /dev/* | aravis | aravis:*) kind=live ;;
    file://*) ;;
    *://*) is_image "$input" || kind=live ;;
  esac
  sink=("${source[@]}")
  printf '%s\t%s\t%s\n' "$kind" "$name" "$(sink_text)" >&3
}

command=$1
shift
case $command in
  build)
    need_packages "build the plugin and run the dashboard" "${PACKAGES_BUILD[@]}" "${PACKAGES_RUN[@]}" "${PACKAGES_DASHBOARD[@]}" "$@"
    build_for_here
    ;;
  packages) need_packages "run the dashboard" "$@" ;;
  describe)
    folder=$1
    shift
    for source; do
      describe "$folder" "$source"
    done
    ;;
esac
