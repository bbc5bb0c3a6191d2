#!/bin/sh
# Runs the Autobahn test suite against an echo server and compares each result with expected.json in this folder.
#
#   Tests/Conformance/autobahn.sh URL [GROUPS] [OUTPUT]
#
#   URL     the server, such as ws://127.0.0.1:9001, or wss://… (the certificate is not checked). The server must accept
#           messages of 16 MiB and 65,536 fragments, and grant the compression that clients ask for.
#   GROUPS  comma-separated groups or cases, such as 1,2,6.4; by default all of 1 to 13
#   OUTPUT  the folder for the suite's own report; by default a temporary one
#
# The suite is installed once, into AUTOBAHN_CACHE (by default ~/.cache/hearth-autobahn). AUTOBAHN_MESSAGES reduces the
# number of messages in each case of groups 12 and 13. With the suite's default of 1,000 a full run takes 15 minutes,
# with 50 it takes 3.
#
# Exits with 0 if all results are as expected, 1 if any differs, 2 on wrong usage, and 77 without Python 2.7, which the
# suite needs.
set -eu

if [ $# -lt 1 ] || [ $# -gt 3 ]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
url=$1
groups=${2:-1,2,3,4,5,6,7,9,10,12,13}
output=${3:-$(mktemp -d)}
cache=${AUTOBAHN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hearth-autobahn}
messages=${AUTOBAHN_MESSAGES:-1000}
case $messages in '' | *[!0-9]*) echo "AUTOBAHN_MESSAGES is not a number: $messages" >&2; exit 2 ;; esac

is_python27() { "$@" -c 'import sys; sys.exit(sys.version_info[:2] != (2, 7))' 2>/dev/null; }
if is_python27 python2.7; then
  python=python2.7
elif is_python27 python2; then
  python=python2
elif is_python27 env PYENV_VERSION=2.7.18 python2; then
  export PYENV_VERSION=2.7.18
  python=python2
else
    echo "The Autobahn suite needs Python 2.7, which is not installed: skipped." >&2
  exit 77
fi

suite=$cache/25.10.1
cases=$suite/autobahntestsuite/case/case12_x_x.py
if [ ! -f "$suite/installed" ]; then
  echo "Installing the suite into $suite" >&2
  mkdir -p "$suite"
  "$python" -W ignore -m pip install --quiet --disable-pip-version-check --target "$suite" autobahntestsuite==25.10.1 >&2
  touch "$suite/zope/__init__.py"
  cp "$cases" "$cases.original"
  touch "$suite/installed"
fi
# The number of messages is a constant in the suite.
sed -E "s/^   \(([0-9]+), +1000,/   (\1, $messages,/" "$cases.original" >"$cases"

mkdir -p "$output"
output=$(cd "$output" && pwd)
"$python" - "$url" "$groups" "$output" "$here/expected.json" <<'PYTHON'
import io, json, sys
url, groups, output, expected = sys.argv[1:]
groups = [g.strip() for g in groups.split(",")]
cases = [c for c in json.load(io.open(expected)) if any(c == g or c.startswith(g + ".") for g in groups)]
if not cases:
    sys.exit("No such cases: " + ", ".join(groups))
spec = {
    "options": {"failByDrop": False}, "outdir": output, "cases": cases, "exclude-cases": [],
    "exclude-agent-cases": {}, "servers": [{"agent": "echo", "url": url, "options": {"version": 18}}],
}
io.open(output + "/spec.json", "wb").write(json.dumps(spec))
PYTHON
rm -f "$output/index.json"
if ! PYTHONPATH=$suite "$python" "$suite/bin/wstest" -m fuzzingclient -s "$output/spec.json" >"$output/log.txt" 2>&1 ||
  [ ! -f "$output/index.json" ]; then
  tail -n 20 "$output/log.txt" >&2
  exit 1
fi

"$python" - "$here/expected.json" "$output" <<'PYTHON'
import collections, io, json, sys
expected, output = sys.argv[1:]
chosen = json.load(io.open(output + "/spec.json"))["cases"]
expected = json.load(io.open(expected))
found = json.load(io.open(output + "/index.json")).get("echo", {})
# How a case ended and how its connection was closed are judged apart; both must be what is expected.
found = dict((c, r["behavior"] if r["behavior"] == r["behaviorClose"] else
              r["behavior"] + ", close " + r["behaviorClose"]) for c, r in found.items())
differing = [c for c in chosen if expected[c] != found.get(c)]
for case in sorted(differing, key=lambda case: [int(n) for n in case.split(".")]):
    print("%s: %s, expected %s" % (case, found.get(case, "not run"), expected[case]))
counts = collections.Counter(found.values())
print("%d cases: %s; %d not as expected. Report: %s/index.html" % (
    len(found), ", ".join("%d %s" % (n, b) for b, n in counts.most_common()), len(differing), output))
sys.exit(1 if differing else 0)
PYTHON
