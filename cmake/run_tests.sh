#!/bin/sh
# run_tests.sh BUILD_FOLDER: runs every test there. Names what failed; the last line says "N passed, M failed"; the exit code is ctest's.
set -u
report=$1/tests.xml
rm -f "$report"
LSAN_OPTIONS=suppressions=$(cd "$(dirname "$0")" && pwd)/leaks.txt:print_suppressions=0
export LSAN_OPTIONS
ctest --test-dir "$1" --output-on-failure --parallel 2 --output-junit tests.xml
code=$?

count() { sed -n "s/^.*[[:space:]]$1=\"\([0-9]*\)\".*$/\1/p" "$report" | head -n 1; }
if [ ! -f "$report" ]; then
  echo "0 passed, 0 failed: no test ran"
  [ "$code" -ne 0 ] || code=1
  exit "$code"
fi
total=$(count tests) failed=$(count failures) skipped=$(($(count skipped) + $(count disabled)))
line="$((total - failed - skipped)) passed, $failed failed"
[ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
[ "$failed" -eq 0 ] || sed -n 's/^.*<testcase name="\([^"]*\)".*status="fail".*$/failed: \1/p' "$report"
echo "$line"
exit "$code"
