"""Reads a mail with Python's own parser, and prints what a reader would see as JSON."""
import base64, email, email.policy, email.utils, json, sys


def read(content):
    message = email.message_from_bytes(content, policy=email.policy.default)
    parts = [message] + list(message.iter_parts())
    lines = content.split(b"\r\n")
    return {
        "headers": {name: str(value) for name, value in message.items()},
        "names": message.keys(),
        "to": [address.addr_spec for address in message["To"].addresses],
        "from": [[address.display_name, address.addr_spec] for address in message["From"].addresses],
        "date": int(message["Date"].datetime.timestamp()),
        "kinds": [part.get_content_type() for part in parts],
        "text": message.get_body(("plain",)).get_payload(decode=True).decode(),
        "html": message.get_body(("html",)).get_payload(decode=True).decode(),
        "defects": [str(defect) for part in parts for defect in part.defects]
        + [str(defect) for value in message.values() for defect in value.defects],
        "longest": max(len(line) for line in lines),
        "bare": any(b"\r" in line or b"\n" in line for line in lines),
        "content": base64.b64encode(content).decode(),
    }


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        print(json.dumps(read(file.read())))
