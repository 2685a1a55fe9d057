"""Water bills from a sheet of meter readings."""

import csv
import json
import re
import sys
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

HEADER = ["home", "date", "counter", "kind"]
KINDS = ("read", "estimate", "swap")
COUNTS = 100_000
MOST_BETWEEN_READINGS = 2000
BANDS = ((30, Decimal("1.12")), (50, Decimal("1.83")), (None, Decimal("2.675")))
A_DAY = Decimal("0.165")
TAX = Decimal("0.06")


class Unusable(Exception):
    """The sheet or the arguments cannot be used; the text says why."""


def day(text):
    """A date of the form YYYY-MM-DD."""
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise Unusable(f"{text!r} is not a date of the form YYYY-MM-DD")


def reading(fields):
    """(home, day, counter, kind) of one row."""
    if len(fields) != len(HEADER):
        raise Unusable(f"{len(fields)} fields instead of {len(HEADER)}")
    home, written, counter, kind = fields
    if not re.fullmatch(r"[0-9]+", counter, re.ASCII) or len(counter.lstrip("0")) > 5:
        raise Unusable(f"{counter[:20]!r} is not a counter from 0 to 99999")
    if kind not in KINDS:
        raise Unusable(f"{kind!r} is none of {', '.join(KINDS)}")
    return home, day(written), int(counter), kind


def readings(path):
    """Home -> day -> (counter, kind), without the estimates, but with the homes that have nothing else."""
    homes = {}
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"{path} cannot be read: {error}") from error
    if not lines or next(csv.reader(lines[:1]), []) != HEADER:
        raise Unusable(f"row 1: the header has to be {','.join(HEADER)}")
    for number, line in enumerate(lines[1:], 2):
        if line == "":
            continue
        try:
            home, on, counter, kind = reading(next(csv.reader([line])))
        except Unusable as problem:
            raise Unusable(f"row {number}: {problem}") from problem
        rows = homes.setdefault(home, {})
        if kind != "estimate":
            rows[on] = (counter, kind)
    return homes


def usage(rows, first, last):
    """Cubic metres used, or the reason why they are not known."""
    before = [on for on in rows if on <= first]
    if not before:
        return "no_start"
    after = sorted(on for on in rows if first < on <= last)
    if not after:
        return "no_end"
    used, previous = 0, rows[max(before)]
    for on in after:
        base = 0 if previous[1] == "swap" else previous[0]
        step = (rows[on][0] - base) % COUNTS
        if step > MOST_BETWEEN_READINGS:
            return "implausible"
        used, previous = used + step, rows[on]
    return used


def pennies(amount):
    """Rounded to whole pennies, half a penny up."""
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def bill(home, used, days):
    """The bill of one home."""
    net, left = A_DAY * days, used
    for size, price in BANDS:
        part = left if size is None else min(left, size)
        net, left = net + part * price, left - part
    net = pennies(net)
    tax = pennies(net * TAX)
    return {"home": home, "usage": used, "net": str(net), "tax": str(tax), "total": str(net + tax)}


def main(arguments):
    """Print the bills of a sheet; 65 when it cannot be used."""
    try:
        if len(arguments) != 3:
            raise Unusable("use: bill.py SHEET FIRST-DAY LAST-DAY")
        first, last = day(arguments[1]), day(arguments[2])
        if first > last:
            raise Unusable("the first day comes after the last one")
        homes = readings(arguments[0])
    except Unusable as problem:
        print(f"bill.py: {problem}", file=sys.stderr)
        return 65
    found = {home: usage(rows, first, last) for home, rows in sorted(homes.items())}
    days = (last - first).days + 1
    bills = [bill(home, used, days) for home, used in found.items() if isinstance(used, int)]
    problems = [{"home": home, "reason": used} for home, used in found.items() if isinstance(used, str)]
    print(json.dumps({"bills": bills, "problems": problems}, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
