// The client library under an address that stays. Its files stand below the version, as all files of the page do.
export * from "/app/VERSION/hearth/hearth.js";
