#!/usr/bin/env bash
# Checks what of the page needs no browser and no server: its form, its types, and the tests of its library.
source "$(dirname "$0")/../../script/common"
need_browser
deno="$web_venv/bin/deno"
cd Sources/Web
"$deno" fmt --check --quiet app ../../Tests/Web/unit
"$deno" lint --quiet
"$deno" check --quiet app/*.js app/hearth/*.js app/parts/*.js app/screens/*.js app/strings/*.js \
  ../../Tests/Web/unit/types.js
"$deno" test --quiet --no-check --allow-read --allow-env ../../Tests/Web/unit
