"""Writes times.json: what Python's `zoneinfo` and `dateutil` say about local times and recurrences.

    pip install python-dateutil tzdata && python times.py > times.json

`ZoneTimeTests` and `RecurrenceTests` compare with it. Recurrences are drawn by the same generator in both programs, so
that the file needs only one digest for each thousand of them; `times.py NUMBER` shows one.
"""

import datetime
import json
import sys
from importlib.metadata import version
from zoneinfo import ZoneInfo

from dateutil.rrule import DAILY, MONTHLY, WEEKLY, YEARLY, rrule, weekday

from draws import Draws

EPOCH = datetime.date(1970, 1, 1)
ZONES = [
    ("Europe/Berlin", "2027-03-28 02:30"),
    ("Europe/Berlin", "2027-03-28 02:00"),
    ("Europe/Berlin", "2027-03-28 01:59"),
    ("Europe/Berlin", "2027-03-28 03:00"),
    ("Europe/Berlin", "2027-10-31 02:30"),
    ("Europe/Berlin", "2027-10-31 03:00"),
    ("Africa/Cairo", "2027-04-30 00:15"),
    ("Africa/Cairo", "2027-04-30 00:00"),
    ("Africa/Cairo", "2027-10-29 00:00"),
    ("Australia/Lord_Howe", "2027-10-03 02:15"),
    ("Australia/Lord_Howe", "2027-10-03 02:30"),
    ("Australia/Lord_Howe", "2027-04-04 01:45"),
    ("America/Havana", "2024-03-10 00:30"),
    ("America/Asuncion", "2023-10-01 00:00"),
    ("America/Sao_Paulo", "2018-11-04 00:00"),
    ("America/Sao_Paulo", "2018-02-17 23:30"),
    ("Asia/Beirut", "2027-03-28 00:00"),
    ("Asia/Tehran", "2022-03-22 00:30"),
    ("Pacific/Apia", "2011-12-30 12:00"),
    ("Pacific/Apia", "2011-12-31 00:00"),
    ("Pacific/Kiritimati", "1994-12-31 08:00"),
    ("Africa/Casablanca", "2024-03-10 02:30"),
    ("Africa/Casablanca", "2024-04-14 02:30"),
    ("America/New_York", "2027-03-14 02:30"),
    ("America/New_York", "2027-11-07 01:30"),
    ("Asia/Kathmandu", "1986-01-01 00:05"),
    ("America/St_Johns", "2006-10-29 00:00"),
    ("America/Los_Angeles", "2026-02-25 16:56"),
    ("Asia/Kolkata", "2026-06-30 23:59"),
    ("Antarctica/Troll", "2027-03-28 02:00"),
    ("Europe/London", "1968-10-27 00:30"),
    ("Asia/Pyongyang", "2018-05-04 23:45"),
    ("Europe/Dublin", "2027-10-31 01:30"),
    ("America/Caracas", "2016-05-01 02:45"),
    ("UTC", "2027-01-01 00:00"),
]
FIRST, SEED = datetime.date(2000, 1, 1), 2026
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def instant(zone: str, text: str) -> str:
    """The first minute from a local time on that clocks show, and the first instant at which they show it."""
    info, wall = ZoneInfo(zone), datetime.datetime.fromisoformat(text)
    while True:
        found = wall.replace(tzinfo=info, fold=0).astimezone(datetime.UTC)
        if found.astimezone(info).replace(tzinfo=None) == wall:
            return found.strftime("%Y-%m-%dT%H:%M:%SZ")
        wall += datetime.timedelta(minutes=1)


def drawn(draws: Draws):
    """A rule as `Recurrence` has it, its first day, and a day after which it is asked."""
    unit = draws.below(4)
    rule = {"every": 1 + draws.below(4 if unit == 3 else 12), "unit": ["days", "weeks", "months", "years"][unit]}
    first = FIRST + datetime.timedelta(days=draws.below(15_000))
    if unit == 1 and draws.below(4):
        mask = 1 + draws.below(127)
        rule["weekdays"] = [day for at, day in enumerate(DAYS) if mask >> at & 1]
    if unit == 2:
        kind = draws.below(3)
        if kind == 1:
            rule["day"] = 1 + draws.below(31)
        if kind == 2:
            rule["nth"], rule["weekday"] = [1, 2, 3, 4, -1][draws.below(5)], DAYS[draws.below(7)]
    after = first + datetime.timedelta(days=draws.below([100, 400, 2000, 8000][unit]) - 10)
    return rule, first, after


def of_month(day: int) -> dict:
    """The day of a month, or the last one of a shorter month."""
    return {"bymonthday": range(28, day + 1), "bysetpos": -1} if day > 28 else {"bymonthday": day}


def peer(rule: dict, first: datetime.date) -> rrule:
    start = datetime.datetime.combine(first, datetime.time())
    more = {}
    if rule["unit"] == "weeks":
        more["byweekday"] = [DAYS.index(day) for day in rule.get("weekdays", [DAYS[first.weekday()]])]
    if rule["unit"] == "months":
        more = of_month(rule.get("day", first.day))
        if "nth" in rule:
            more = {"byweekday": weekday(DAYS.index(rule["weekday"]), rule["nth"])}
    if rule["unit"] == "years":
        more = {"bymonth": first.month, **of_month(first.day)}
    kind = {"days": DAILY, "weeks": WEEKLY, "months": MONTHLY, "years": YEARLY}[rule["unit"]]
    return rrule(kind, start, interval=rule["every"], wkst=0, **more)


def days(rule: dict, first: datetime.date, after: datetime.date) -> list:
    """The next three days; the first day counts even if it is none of the rule."""
    found, same = [], peer(rule, first)
    for _ in range(3):
        if after < first:
            after = first
        else:
            after = same.after(datetime.datetime.combine(after, datetime.time())).date()
        found.append(after)
    return found


def digest(block: int) -> str:
    draws, value = Draws(SEED + block), 14695981039346656037
    for _ in range(1000):
        for day in days(*drawn(draws)):
            value = (value ^ (day - EPOCH).days) * 1099511628211 % 2**64
    return f"{value:016x}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        number, draws = int(sys.argv[1]), Draws(SEED + int(sys.argv[1]) // 1000)
        for _ in range(number % 1000):
            drawn(draws)
        case = drawn(draws)
        print(*case, *days(*case))
        sys.exit()
    packages = [f"{name} {version(name)}" for name in ("tzdata", "python-dateutil")]
    source = ", ".join([f"zoneinfo of Python {sys.version.split()[0]}", *packages])
    times = [[zone, text.replace(" ", "T"), instant(zone, text)] for zone, text in ZONES]
    print(json.dumps({"source": source, "times": times, "digests": [digest(block) for block in range(100)]}, indent=1))
