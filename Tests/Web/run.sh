#!/usr/bin/env bash
# Tests the page in real browsers: the client library, and the screens. form.sh checks what needs none.
#
#   Tests/Web/run.sh [ARGUMENTS OF PYTEST, such as Tests/Web/test_page.py -k offline]
#
# SERVER_UNDER_TEST names the server's program; without it a release build is made. WEB_FOLDER serves the page from
# a folder instead of that program; FAILURES names a folder for pictures of failed tests.
source "$(dirname "$0")/../../script/common"
need_browser
need_server
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
run() { "$web_venv/bin/python" -m pytest -q -o cache_dir="$cache" --tb=short "$@"; }
if [ $# -gt 0 ]; then
  run "$@"
  exit
fi
# Three at a time, because people in tests wait for each other. A test that fails beside another must pass alone, and
# times are measured by one alone.
run -n 3 --dist loadfile --no-loadscope-reorder --durations=20 --ignore=Tests/Web/test_budgets.py Tests/Web \
  || run --last-failed --last-failed-no-failures none Tests/Web
SLACK=1.5 run -s Tests/Web/test_budgets.py
