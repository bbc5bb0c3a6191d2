#!/usr/bin/env bash
# Seeds a database, starts a server on it and puts it under load: `loadtest/run.sh SCENARIO [arguments of loadtest]`.
#
#   loadtest/run.sh household --rooms 500 --seconds 15
#   loadtest/run.sh idle
#
# ROOMS and MEMBERS (500 and 4 unless set) say how many households are seeded. With two processors or more the server
# has the first one to itself.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --product hearth >&2
swift build -c release --product loadtest >&2
bin=$(swift build -c release --show-bin-path)
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
ulimit -n "$(ulimit -Hn)"

pin=() cpu=()
if [ "$(nproc)" -gt 1 ]; then
  pin=(taskset -c 0) cpu=(--cpu 1)
fi
"$bin/hearth" seed --data "$work/data" --households "${ROOMS:-500}" --members "${MEMBERS:-4}" --notes 10 --groceries 20 \
  --out "$work/people.jsonl" >&2
"${pin[@]}" "$bin/hearth" serve --data "$work/data" --port 0 >"$work/log" &
server=$!
until port=$(grep -oE ':[0-9]+/sync' "$work/log" | tr -dc 0-9) && [ -n "$port" ]; do
  kill -0 $server
  sleep 0.1
done
"$bin/loadtest" "$1" --port "$port" --pid $server "${cpu[@]}" --people "$work/people.jsonl" "${@:2}"
