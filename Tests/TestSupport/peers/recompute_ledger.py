"""Adds up a ledger that was exported as CSV or JSON, by itself: prints {currency: {person: minor units}}.

    python recompute_ledger.py csv|json FILE
"""

import csv
import json
import sys
from decimal import Decimal

# ISO 4217: all others have two decimals.
DECIMALS = {"JPY": 0, "KWD": 3, "CLF": 4}

balances = {}


def add(currency, person, amount):
    people = balances.setdefault(currency, {})
    people[person] = people.get(person, 0) + amount


with open(sys.argv[2], encoding="utf-8", newline="") as file:
    if sys.argv[1] == "csv":
        for row in csv.DictReader(file):
            units = Decimal(row["amount"]).scaleb(DECIMALS.get(row["currency"], 2))
            assert units == int(units), row
            add(row["currency"], row["person"], int(units))
    else:
        for entry in json.load(file)["entries"]:
            for person, amount in entry["people"].items():
                add(entry["currency"], person, amount)

rest = {currency: {one: sum for one, sum in people.items() if sum} for currency, people in balances.items()}
print(json.dumps({currency: people for currency, people in rest.items() if people}))
