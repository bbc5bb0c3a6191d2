#!/usr/bin/env bash
# Checks what of the page needs no browser and no server: its form, its types, and the tests of its library.
source "$(dirname "$0")/../../script/common"
need_browser
deno="$web_venv/bin/deno"
cd Sources/Web
if LC_ALL=C.UTF-8 grep -rnE --include='*.js' --include='*.css' --include='*.html' '^.{121}' app ../../Tests/Web/unit; then
  echo "These lines have more than 120 characters." >&2
  exit 1
fi
"$deno" fmt --check --quiet app ../../Tests/Web/unit
"$deno" lint --quiet
"$deno" check --quiet app/*.js app/hearth/*.js app/parts/*.js app/screens/*.js app/strings/*.js \
  ../../Tests/Web/unit/types.js
"$deno" test --quiet --no-check --allow-read --allow-env ../../Tests/Web/unit
