#!/usr/bin/env bash
# Seeds households that are all due within one minute, and measures how long the server takes to serve them.
#
#   loadtest/due.sh              the server runs when they become due
#   DOWN=1 loadtest/due.sh       the server is started when all of them are due already
#
# Variables:
#   HOUSEHOLDS, MEMBERS  how many households, of how many people (100000, 1)
#   SEED_TIME            seconds that seeding may take at most (240)
#   SERVE                further arguments for `hearth serve`
#   BIN                  a folder that holds hearth already: nothing is built
set -euo pipefail
cd "$(dirname "$0")/.."

bin=${BIN:-}
if [ -z "$bin" ]; then
  swift build -c release --static-swift-stdlib --product hearth >&2
  bin=$(swift build -c release --static-swift-stdlib --show-bin-path)
fi
work=$(mktemp -d)
server=
stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap stop EXIT

households=${HOUSEHOLDS:-100000}
after=${SEED_TIME:-240}
first=$(($(date +%s) + after))
"$bin/hearth" seed --data "$work/data" --households "$households" --members "${MEMBERS:-1}" \
  --expire-after "$after" --out "$work/people" >&2
now=$(date +%s)
[ "$now" -lt "$first" ] || { echo "Seeding took too long: set SEED_TIME." >&2; exit 1; }
[ -z "${DOWN:-}" ] || sleep $((first + 61 - now))

# shellcheck disable=SC2086
"$bin/hearth" serve --data "$work/data" --port 0 ${SERVE:-} >"$work/log" 2>&1 &
server=$!
for _ in {1..600}; do
  port=$(sed -n 's/.*server.started.*port=\([0-9]*\).*/\1/p' "$work/log")
  [ -z "$port" ] || break
  sleep 0.1
done
began=$(date +%s)
[ "$began" -ge "$first" ] || began=$first

served() { curl -s "http://127.0.0.1:$port/metrics" | sed -n 's/^hearth_due_total //p'; }
count=0
while [ "$count" -lt "$households" ]; do
  sleep 1
  count=$(served)
  elapsed=$(($(date +%s) - began))
  [ "$elapsed" -lt 900 ] || { echo "$count of $households after $elapsed s" >&2; exit 1; }
done
peak=$(awk '/^VmHWM:/ { print $2 }' "/proc/$server/status")
cpu=$(curl -s "http://127.0.0.1:$port/metrics" | sed -n 's/^process_cpu_seconds_total //p')
echo "$households households served after $elapsed s, with $((peak / 1024)) MB at most and $cpu s of CPU time."
