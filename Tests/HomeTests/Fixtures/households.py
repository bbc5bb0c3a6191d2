"""Writes households.json: digests of the books of 1,000 drawn households, as R-SPLIT, R-CHECKOUT and R-NET of SPEC say,
written independently of the server.

    python households.py > households.json

`HouseholdBooksTests` draws the same households and compares; `households.py NUMBER` shows one of them.
"""

import json
import sys

from draws import Draws
from splits import divide, fnv

SEED, BLOCKS, OF_BLOCK = 4711, 50, 20


def turn_of(number: int) -> int:
    return fnv(bytes(12) + number.to_bytes(4, "big"))


def shares_of_bill(draws: Draws, count: int, total: int, turn: int) -> dict:
    kind, mask = draws.below(4), 1 + draws.below(2**count - 1)
    people = [person for person in range(count) if mask >> person & 1]
    if kind == 0:
        weights = [1] * len(people)
    elif kind == 1:
        weights = [1 + draws.below(1000) for _ in people]
    elif kind == 2:
        points = [draws.below(10_000 // len(people) + 1) for _ in people[:-1]]
        weights = points + [10_000 - sum(points)]
    else:
        parts = [draws.below(abs(total) // len(people) + 1) * (-1 if total < 0 else 1) for _ in people[:-1]]
        return dict(zip(people, parts + [total - sum(parts)]))
    return dict(zip(people, divide(total, weights, turn)))


def shares_of_trip(lines: list, total: int, sharers: list, buyer: int, turn: int):
    """`lines` holds (owner or None, price or None, units); `None` if the prices come to more than the total."""
    everyone = sharers or [buyer]
    wanted = {owner for owner, _, _ in lines if owner is not None}
    if not lines or any(owner is None for owner, _, _ in lines):
        wanted |= set(everyone)
    people = sorted(wanted)

    def takers(owner):
        return [person in everyone if owner is None else person == owner for person in people]

    sums = [0] * len(people)
    for owner, price, _ in lines:
        if price is not None:
            sums = [one + more for one, more in zip(sums, divide(price, takers(owner), turn))]
    rest = total - sum(price for _, price, _ in lines if price is not None)
    if lines and all(price is not None for _, price, _ in lines):
        weights = sums if any(sums) else [1] * len(people)
    else:
        if rest < 0:
            return None
        weights = [0] * len(people)
        for owner, price, units in lines:
            if price is None:
                share = units if owner is None else units * len(everyone)
                weights = [one + share * took for one, took in zip(weights, takers(owner))]
        if not any(weights):
            weights = [1] * len(people)
    return dict(zip(people, [one + more for one, more in zip(sums, divide(rest, weights, turn))]))


def debts_of(paid: dict, shares: dict) -> list:
    nets = {person: paid.get(person, 0) - shares.get(person, 0) for person in sorted({*paid, *shares})}
    debts = []
    for debtor in [person for person in nets if nets[person] < 0]:
        for creditor in [person for person in nets if nets[person] > 0]:
            amount = min(-nets[debtor], nets[creditor])
            if amount > 0:
                debts.append((debtor, creditor, amount))
                nets[debtor] += amount
                nets[creditor] -= amount
    return debts


def settled(nets: dict) -> list:
    """At most n - 1 payments: the largest debtor pays the largest creditor."""
    debtors = sorted(([-net, person] for person, net in nets.items() if net < 0), key=lambda it: (-it[0], it[1]))
    creditors = sorted(([net, person] for person, net in nets.items() if net > 0), key=lambda it: (-it[0], it[1]))
    payments = []
    while debtors:
        amount = min(debtors[0][0], creditors[0][0])
        payments.append((debtors[0][1], creditors[0][1], amount))
        for side in debtors, creditors:
            side[0][0] -= amount
            if side[0][0] == 0:
                side.pop(0)
    return payments


def books(draws: Draws) -> list:
    """The words of a household's digest: its shares, balances, debts of pairs, and payments that settle them."""
    count = 2 + draws.below(5)
    mask = draws.below(2**count)
    sharers = [person for person in range(count) if mask >> person & 1]
    words, nets, pairs = [], dict.fromkeys(range(count), 0), {}
    for _ in range(3 + draws.below(6)):
        if draws.below(3):
            total, turn = (1 + draws.below(2**20)) * (-1 if draws.below(6) == 0 else 1), turn_of(draws.below(2**31))
            shares = shares_of_bill(draws, count, total, turn)
            payer, paid = draws.below(count), {}
            first = total
            if draws.below(3) == 0:
                first = draws.below(abs(total) + 1) * (-1 if total < 0 else 1)
            other = draws.below(count)
            paid[payer] = first
            paid[other] = paid.get(other, 0) + total - first
        else:
            buyer, total, turn = draws.below(count), 1 + draws.below(30_000), turn_of(draws.below(2**31))
            lines = []
            for _ in range(draws.below(6)):
                owner, units = draws.below(count + 1), 1000 * (1 + draws.below(9))
                price = draws.below(8000) if draws.below(2) else None
                lines.append((None if owner == count else owner, price, units))
            shares, paid = shares_of_trip(lines, total, sharers, buyer, turn), {buyer: total}
            if shares is None:
                words.append(-1)
                continue
        words += [part for _, part in sorted(shares.items())]
        assert sum(shares.values()) == sum(paid.values()) == total
        for debtor, creditor, amount in debts_of(paid, shares):
            nets[debtor] -= amount
            nets[creditor] += amount
            low, high = sorted((debtor, creditor))
            pairs[low, high] = pairs.get((low, high), 0) + (amount if debtor == low else -amount)
    assert sum(nets.values()) == 0
    words += [nets[person] for person in range(count)]
    words += [pairs.get((low, high), 0) for low in range(count) for high in range(low + 1, count)]
    return words + [word for payment in settled(nets) for word in payment]


def digest(block: int) -> str:
    draws, value = Draws(SEED + block), 14695981039346656037
    for _ in range(OF_BLOCK):
        for word in books(draws):
            value = (value ^ word % 2**64) * 1099511628211 % 2**64
    return f"{value:016x}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        number, draws = int(sys.argv[1]), Draws(SEED + int(sys.argv[1]) // OF_BLOCK)
        for _ in range(number % OF_BLOCK):
            books(draws)
        print(books(draws))
        sys.exit()
    print(json.dumps([digest(block) for block in range(BLOCKS)], indent=1))
