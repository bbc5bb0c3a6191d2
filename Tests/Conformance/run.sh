#!/bin/sh
# Starts `hearth echo` from a release build and runs Autobahn against it.
#
#   Tests/Conformance/run.sh [GROUPS] [OUTPUT]     as autobahn.sh; groups 1 to 7 and 10 unless told otherwise
#
# Skipped (exit 0, and says so) where there is no Python 2.7.
set -eu
cd "$(dirname "$0")/../.."

swift build -c release --product hearth >&2
log=$(mktemp)
"$(swift build -c release --show-bin-path)/hearth" echo --port 0 >"$log" &
echo=$!
trap 'kill $echo 2>/dev/null; rm -f "$log"' EXIT
until url=$(grep -o 'ws://[0-9.:]*' "$log"); do
  kill -0 $echo || exit 1
  sleep 0.1
done

code=0
Tests/Conformance/autobahn.sh "$url" "${1:-1,2,3,4,5,6,7,10}" ${2:+"$2"} || code=$?
[ $code -ne 77 ] || code=0
exit $code
