#!/bin/sh
# Starts `hearth echo` and runs the Autobahn test suite against it.
#
#   Tests/Conformance/run.sh [--tls] [GROUPS] [OUTPUT]
#
#   --tls    over wss://, with a temporary certificate
#   GROUPS   as for autobahn.sh; by default 1 to 7 and 10. `short` adds all of 12 and 13 with 10 messages each (the
#            suite has 1,000), and a large message of each kind from 9; `all` runs the whole suite
#   OUTPUT   as for autobahn.sh
#
# Uses a release build, or the configuration in HEARTH_CONFIGURATION. Without Python 2.7 it is skipped with a message
# and exit code 0.
set -eu
cd "$(dirname "$0")/../.."

tls=
if [ "${1:-}" = --tls ]; then
  tls=yes
  shift
fi
usual=1,2,3,4,5,6,7,10
groups=${1:-$usual}
case $groups in
all) groups=$usual,9,12,13 ;;
short)
  groups=$usual,9.1.4,9.2.4,9.3.4,9.4.4,9.5.4,9.6.4,9.7.4,9.8.4,12,13
  export AUTOBAHN_MESSAGES="${AUTOBAHN_MESSAGES:-10}"
  ;;
esac

configuration=${HEARTH_CONFIGURATION:-release}
libraries=
[ "$configuration" = debug ] || libraries=--static-swift-stdlib
swift build -c "$configuration" $libraries --product hearth >&2
folder=$(mktemp -d)
: >"$folder/log"
echo=
trap 'kill $echo 2>/dev/null; rm -rf "$folder"' EXIT
if [ $tls ]; then
  openssl req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
fi
"$(swift build -c "$configuration" $libraries --show-bin-path)/hearth" echo --port 0 \
  ${tls:+--certificate "$folder/certificate.pem" --key "$folder/key.pem"} >"$folder/log" &
echo=$!
until url=$(grep -Eo 'wss?://[0-9.:]*' "$folder/log"); do
  kill -0 $echo || exit 1
  sleep 0.1
done

code=0
Tests/Conformance/autobahn.sh "$url" "$groups" ${2:+"$2"} || code=$?
[ $code -ne 77 ] || code=0
exit $code
