#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# once.sh TARGET CORPUS: runs the inputs of the corpus, then CTR_FUZZ_SECONDS (2) of new ones, which are kept in CTR_FUZZ_CORPUS if that is
# set. An input that fails is printed, and kept there, too.
set -uo pipefail

target=$1 corpus=$2 scratch=$(mktemp -d) here=$(dirname "$(readlink -f "$0")")
trap 'rm -rf "$scratch"' EXIT
new=${CTR_FUZZ_CORPUS:-$scratch/new}
mkdir -p "$new"
export ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
  LSAN_OPTIONS=print_suppressions=0:suppressions=$here/../lsan.supp \
  GST_REGISTRY_FORK=no GST_PLUGIN_PATH='' GST_PLUGIN_SYSTEM_PATH='' GST_REGISTRY=$scratch/registry.bin
"$target" -seed="${CTR_FUZZ_SEED-1}" -max_total_time="${CTR_FUZZ_SECONDS-2}" -timeout=60 -rss_limit_mb=2048 \
  -print_final_stats=1 -artifact_prefix="$new/" "$new" "$corpus" 2>&1 | grep -v '^#[0-9]*[[:space:]]*\(NEW\|REDUCE\|pulse\)'
status=${PIPESTATUS[0]}
for input in "$new"/{crash,timeout,leak,oom,slow-unit}-*; do
  [ -e "$input" ] || continue
  echo "$(basename "$input") in base64:"
  base64 "$input"
done
exit "$status"
