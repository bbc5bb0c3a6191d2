"""Writes the types of calls, notifications and documents as a running server describes them (`rpc.discover`).

    python3 Tests/Web/make_types.py http://127.0.0.1:7431 [--check]

With them a misspelt field does not pass `deno check`. `--check` writes nothing, and fails if the files differ.
"""

import json
import pathlib
import sys
import urllib.request

FOLDER = pathlib.Path(__file__).parents[2] / "Sources/Web/app/hearth/types"
HEAD = "// Made by Tests/Web/make_types.py from rpc.discover. Do not edit.\n\n"
# The library sets these itself.
OWN = {"room", "seq", "answered", "puzzle"}
SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
NAMES = {"me": "MeState", "household": "HouseholdState", "corner": "MineState", "share": "ShareState"}


def kind(schema: dict, is_param: bool, indent: str) -> str:
    """The TypeScript type of a JSON Schema."""
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        values = [value for value in schema["enum"] if is_param or value is not None]
        return " | ".join(json.dumps(value) for value in values)
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(kind(part, is_param, indent) for part in schema[union]))
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    # Absent members of documents are absent, never null.
    parts = [single(schema, one, is_param, indent) for one in types if is_param or one != "null" or len(types) == 1]
    return " | ".join(dict.fromkeys(parts)) or "unknown"


def single(schema: dict, name: str, is_param: bool, indent: str) -> str:
    if name in SCALARS:
        return SCALARS[name]
    if name == "array":
        item = kind(schema.get("items", {}), is_param, indent)
        return f"readonly ({item})[]" if " | " in item else f"readonly {item}[]"
    properties = schema.get("properties")
    if properties:
        return members(
            [(key, part, key in schema.get("required", [])) for key, part in sorted(properties.items())],
            is_param,
            indent,
        )
    rest = schema.get("additionalProperties", True)
    return f"{{ [key: string]: {kind(rest, is_param, indent) if isinstance(rest, dict) else 'unknown'} }}"


def members(fields: list, is_param: bool, indent: str) -> str:
    if not fields:
        return "{ [key: string]: never }" if is_param else "{ [key: string]: unknown }"
    lines = []
    for name, schema, is_required in fields:
        text = kind(schema, is_param, indent + "  ")
        key = name if name.isidentifier() else json.dumps(name)
        lines.append(f"{indent}  {key}{'' if is_required else '?'}: {text};\n")
    return "{\n" + "".join(lines) + indent + "}"


def methods(document: dict) -> str:
    out = HEAD + "/** All methods: their parameters but those that the library sets, and their results. */\n"
    out += "export interface Methods {\n"
    for method in sorted(document["methods"], key=lambda method: method["name"]):
        fields = [
            (param["name"], param["schema"], param.get("required", False))
            for param in method["params"]
            if param["name"] not in OWN
        ]
        summary = method.get("summary", "").replace("*/", "* /")
        result = kind(method["result"]["schema"], False, "    ")
        out += f"  /** {summary} */\n" if summary else ""
        out += f"  {json.dumps(method['name'])}: {{\n    params: {members(fields, True, '    ')};\n"
        out += f"    result: {result};\n  }};\n"
    out += "}\n\nexport type Params<M extends keyof Methods> = Methods[M][\"params\"];\n"
    out += "\n/** What the server says by itself. */\nexport interface Notifications {\n"
    for one in sorted(document["x-notifications"], key=lambda one: one["name"]):
        fields = [(param["name"], param["schema"], param["required"]) for param in one["params"]]
        out += f"  /** {one['summary']} */\n  {json.dumps(one['name'])}: {members(fields, False, '  ')};\n"
    out += "}\n\nexport type Notification = {\n"
    out += "  [M in keyof Notifications]: { method: M; params: Notifications[M] };\n}[keyof Notifications];\n"
    return out


def documents(document: dict) -> str:
    out = HEAD + "// Empty tables are absent.\n"
    for key, schema in sorted(document["components"]["schemas"].items()):
        parts = schema["properties"]
        name = NAMES.get(key, key.capitalize() + "State")
        out += f"\n/** The document of `{schema.get('x-room', key)}`. */\n"
        out += f"export type {name} = {kind(parts['state'], False, '')};\n"
        out += f"\nexport type {name.removesuffix('State')}Live = {kind(parts['live'], False, '')};\n"
    return out


def discover(server: str) -> dict:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "rpc.discover"}).encode()
    request = urllib.request.Request(f"{server}/rpc", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)["result"]


def files(server: str) -> dict:
    description = discover(server)
    return {"methods.d.ts": methods(description), "documents.d.ts": documents(description)}


def stale(server: str) -> list:
    """The names of the files that are not what this server says."""
    return [name for name, text in files(server).items() if (FOLDER / name).read_text() != text]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("\n".join(f"{name} is not what the server says" for name in stale(sys.argv[1])) or 0)
    for name, text in files(sys.argv[1]).items():
        (FOLDER / name).write_text(text)
