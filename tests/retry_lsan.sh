#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# retry_lsan.sh COMMAND...: runs a test. Where LeakSanitizer itself has crashed, which it does in some when the test is over, the
# test runs once more without the search for leaks. Where it reports leaks, the test runs once more with whole stacks, which take ten
# times as long: by these, tests/lsan.supp knows the leaks of libraries.
errors=$(mktemp) || exit
trap 'rm -f "$errors"' EXIT
"$@" 2> "$errors"
status=$?
cat "$errors" >&2
if [ $status != 0 ] && grep -q "LeakSanitizer: detected memory leaks" "$errors"; then
  echo "Leaks: again, with whole stacks." >&2
  ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}fast_unwind_on_malloc=0 "$@"
  exit
fi
if [ $status = 0 ] || ! grep -q "LeakSanitizer has encountered a fatal error" "$errors"; then
  exit $status
fi
echo "LeakSanitizer has crashed: again, without the search for leaks." >&2
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 "$@"
