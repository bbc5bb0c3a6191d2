"""Reads a calendar as `icalendar` does, expands it as `recurring-ical-events` does, and prints both as JSON.

Arguments: the file, the first day and the day after the last one. The times are those that begin between the two, once by
the machine's zones and once by the clocks that the calendar itself describes.
"""
import datetime, json, re, sys

import icalendar, recurring_ical_events

content = open(sys.argv[1], "rb").read()
start, end = (datetime.date.fromisoformat(day) for day in sys.argv[2:4])


def written(value):
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ")


def expand(calendar):
    times = []
    day = datetime.timedelta(days=1)
    for event in recurring_ical_events.of(calendar).between(start - day, end + day):
        first = event["DTSTART"].dt
        local = first.date() if isinstance(first, datetime.datetime) else first
        if start <= local < end:
            times.append([str(event["UID"]), written(first), written(event["DTEND"].dt if "DTEND" in event else first)])
    return sorted(times)


def find_problems(calendar):
    problems = [str(error) for part in calendar.walk() for error in part.errors]
    lines = content.split(b"\r\n")
    if any(b"\r" in line or b"\n" in line for line in lines) or lines[-1] != b"":
        problems.append("a line does not end in CR LF")
    if max(map(len, lines)) > 75:
        problems.append("a line has more than 75 bytes")
    for line in lines:
        line.decode()
    for part in calendar.walk():
        problems += [f"{part.name} has no {name}" for name in part.required if name not in part]
        problems += [f"{part.name} has {name} twice" for name in part.singletons if isinstance(part.get(name), list)]
    names = [str(event["UID"]) for event in calendar.walk("VEVENT")]
    if len(set(names)) < len(names):
        problems.append("two events have one UID")
    return problems + [f"{zone} is not described" for zone in calendar.get_missing_tzids()]


calendar = icalendar.Calendar.from_ical(content)
# A name that the machine does not know: then the description is all there is.
renamed = re.sub(rb"(TZID[:=])[^:\r]+", rb"\1Of/Home", content)
print(json.dumps({
    "problems": find_problems(calendar),
    "name": str(calendar["NAME"]),
    "summaries": {str(event["UID"]): str(event["SUMMARY"]) for event in calendar.walk("VEVENT")},
    "notes": {str(event["UID"]): str(event["DESCRIPTION"]) for event in calendar.walk("VEVENT") if "DESCRIPTION" in event},
    "times": expand(calendar),
    "timesByDescription": expand(icalendar.Calendar.from_ical(renamed)),
}))
