// The client library under an address that stays. Its files stand below the version, as all files of the page do.
// @ts-ignore: the server puts the version in.
export * from "/app/VERSION/hearth/hearth.js";
