#!/usr/bin/env bash
# Seeds a database, starts a server on it and runs a load: `loadtest/run.sh SCENARIO [arguments of loadtest]`.
#
#   loadtest/run.sh household --rooms 500 --seconds 15
#   loadtest/run.sh reconnect --restart-server
#
# Variables:
#   ROOMS, MEMBERS  number of households and of people in each (500, 4)
#   FULL=1          fills them: 40 notes and 60 items each
#   STORED          total number of households; the others have empty boards and lists, and no clients
#   DATA            a folder to keep, with the people in DATA/people.jsonl; seeded if new
#   SERVE           further arguments for `hearth serve`, such as SERVE="--connections-per-person 100"
#   TLS=1           creates a throw-away certificate and uses TLS
#   BUILD           release (or debug, to try a scenario; its figures mean nothing)
#   SCRATCH         SwiftPM's build folder (.build)
#   BIN             a folder with hearth and loadtest: nothing is built
#
# With two or more CPUs the server has the first to itself. If it is killed, it is restarted.
set -euo pipefail
cd "$(dirname "$0")/.."

options=(-c "${BUILD:-release}")
[ "${BUILD:-release}" = debug ] || options+=(--static-swift-stdlib)
[ -z "${SCRATCH:-}" ] || options+=(--scratch-path "$SCRATCH")
bin=${BIN:-}
if [ -z "$bin" ]; then
  swift build "${options[@]}" --product hearth >&2
  swift build "${options[@]}" --product loadtest >&2
  bin=$(swift build "${options[@]}" --show-bin-path)
fi
work=$(mktemp -d)
touch "$work/log"
keeper=
# The keeper first, which would restart the server.
stop() {
  [ -z "$keeper" ] || kill "$keeper" 2>/dev/null || true
  [ ! -s "$work/pid" ] || kill "$(cat "$work/pid")" 2>/dev/null || true
  wait
  # A server that the keeper started is no child to wait for, and may still hold the database.
  for _ in {1..200}; do
    [ -s "$work/pid" ] && kill -0 "$(cat "$work/pid")" 2>/dev/null || break
    sleep 0.05
  done
  rm -rf "$work"
}
trap stop EXIT
ulimit -n "$(ulimit -Hn)"

pin=() cpu=()
if [ "$(nproc)" -gt 1 ]; then
  pin=(taskset -c 0) cpu=(--cpu 1)
fi
data=${DATA:-$work/data}
people=$work/people.jsonl
[ -z "${DATA:-}" ] || people=$data/people.jsonl
if [ ! -s "$people" ]; then
  furnish=(--notes 10 --groceries 20)
  [ -z "${FULL:-}" ] || furnish=(--full)
  others=$((${STORED:-0} - ${ROOMS:-500}))
  [ "$others" -le 0 ] || "$bin/hearth" seed --data "$data" --households "$others" --out "$work/others.jsonl" >&2
  "$bin/hearth" seed --data "$data" --households "${ROOMS:-500}" --members "${MEMBERS:-4}" "${furnish[@]}" \
    --out "$people" >&2
fi

read -ra more <<<"${SERVE:-}"
serve=(--data "$data" "${more[@]}") speak=()
# A few connections stand for many people, so the limit of calls applies to `abuse` only.
[[ "${1:-}" == abuse || "${SERVE:-}" == *--calls-per-second* ]] || serve+=(--calls-per-second 1000000)
if [ -n "${TLS:-}" ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
  serve+=(--certificate "$work/certificate.pem" --key "$work/key.pem")
  speak=(--tls --authority "$work/certificate.pem")
fi

find_port() { grep -oE ':[0-9]+/sync' "$work/log" | head -n 1 | tr -dc 0-9; }
# Starts the server, and restarts it on the same port if it is killed. Waits instead of polling, which would take CPU time
# from the server and the load.
(
  trap 'exit 0' TERM
  port=0 status=137
  while [ "$status" -gt 128 ]; do
    "${pin[@]}" "$bin/hearth" serve "${serve[@]}" --port "$port" >"$work/log" 2>"$work/errors" &
    echo $! >"$work/pid"
    { wait $! && status=0 || status=$?; } 2>/dev/null
    port=$(find_port || echo 0)
  done
) &
keeper=$!
until port=$(find_port) && [ -n "$port" ]; do
  kill -0 "$keeper" 2>/dev/null || { cat "$work/errors" >&2; exit 1; }
  sleep 0.1
done

"$bin/loadtest" "$1" --port "$port" --pid "$(cat "$work/pid")" "${cpu[@]}" --people "$people" "${speak[@]}" \
  --commit "$(git describe --always --dirty 2>/dev/null || echo unknown)" \
  $([[ "$1" != @(reconnect|cold|receivers) ]] || echo --pid-file "$work/pid") "${@:2}"
