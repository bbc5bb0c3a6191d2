"""Writes splits.json: digests of 10,000 drawn bills, as R-SPLIT of SPEC says, written independently of the server.

    python splits.py > splits.json

`SplitTests` draws the same bills and compares; `splits.py NUMBER` shows one of them.
"""

import json
import sys
from fractions import Fraction

from draws import Draws

PEOPLE, SEED = 6, 77


def fnv(data: bytes) -> int:
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def divide(amount: int, weights: list, turn: int) -> list:
    """Floor, then one unit more for the largest remainders; `turn` decides between equal ones."""
    if amount < 0:
        return [-part for part in divide(-amount, weights, turn)]
    whole = sum(weights)
    exact = [Fraction(amount * weight, whole) for weight in weights]
    parts = [value.numerator // value.denominator for value in exact]
    count = len(weights)
    order = sorted(range(count), key=lambda at: (parts[at] - exact[at], (turn % count + at) % count))
    for at in order[: amount - sum(parts)]:
        parts[at] += 1
    return parts


def among(draws: Draws) -> list:
    mask = 1 + draws.below(2**PEOPLE - 1)
    return [person for person in range(PEOPLE) if mask >> person & 1]


def simple(draws: Draws, total: int) -> tuple:
    kind, people = ["equal", "shares", "percent", "exact", "adjusted"][draws.below(5)], among(draws)
    last = people[-1]
    if kind == "equal":
        return kind, dict.fromkeys(people, 1)
    if kind == "shares":
        return kind, {person: 1 + draws.below(1000) for person in people}
    if kind == "percent":
        points = {person: draws.below(10_000 // len(people) + 1) for person in people[:-1]}
        return kind, {**points, last: 10_000 - sum(points.values())}
    if kind == "exact":
        sign = -1 if total < 0 else 1
        amounts = {person: draws.below(abs(total) // len(people) + 1) * sign for person in people[:-1]}
        return kind, {**amounts, last: total - sum(amounts.values())}
    return kind, {person: draws.below(abs(total) // len(people) + 1) - draws.below(50) for person in people}


def parts(kind: str, of: dict, total: int, people: list, turn: int) -> list:
    if kind == "exact":
        return [of.get(person, 0) for person in people]
    if kind == "adjusted":
        rest = divide(abs(total) - sum(of.values()), [int(person in of) for person in people], turn)
        sign = -1 if total < 0 else 1
        return [(part + of.get(person, 0)) * sign for person, part in zip(people, rest)]
    return divide(total, [of.get(person, 0) for person in people], turn)


def drawn(draws: Draws) -> tuple:
    """A bill: its number, its total, and its split or items."""
    number, total = draws.below(2**31), draws.below(2**20) * (1 + draws.below(2**11))
    if draws.below(5) == 0:
        total = -total
    if draws.below(4):
        return number, total, simple(draws, total)
    items = []
    for _ in range(1 + draws.below(4)):
        amount = draws.below(abs(total) // 3 + 2)
        items.append((amount, simple(draws, amount)))
    return number, total, ("itemised", items)


def solved(bill: tuple) -> list:
    number, total, (kind, of) = bill
    turn = fnv(bytes(12) + number.to_bytes(4, "big"))
    if kind != "itemised":
        people = sorted(of)
        return parts(kind, of, total, people, turn)
    people = sorted({person for _, (_, split) in of for person in split})
    sums = [0] * len(people)
    for amount, (item_kind, split) in of:
        sums = [one + more for one, more in zip(sums, parts(item_kind, split, amount, people, turn))]
    weights = [max(one, 0) for one in sums]
    rest = divide(total - sum(amount for amount, _ in of), weights if any(weights) else [1] * len(people), turn)
    return [one + more for one, more in zip(sums, rest)]


def digest(block: int) -> str:
    draws, value = Draws(SEED + block), 14695981039346656037
    for _ in range(100):
        bill = drawn(draws)
        found = solved(bill)
        assert sum(found) == bill[1]
        for part in found:
            value = (value ^ part % 2**64) * 1099511628211 % 2**64
    return f"{value:016x}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        number, draws = int(sys.argv[1]), Draws(SEED + int(sys.argv[1]) // 100)
        for _ in range(number % 100):
            drawn(draws)
        case = drawn(draws)
        print(*case, solved(case))
        sys.exit()
    print(json.dumps([digest(block) for block in range(100)], indent=1))
