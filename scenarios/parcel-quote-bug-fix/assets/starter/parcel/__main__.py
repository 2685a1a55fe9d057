"""The counter's command: prints the quote of one order file."""

import json
import sys

from parcel.quote import quote_order


def pounds(pence):
    """Pence as pounds with two decimals."""
    return f"{pence // 100}.{pence % 100:02d}"


def main(arguments):
    """Print the quote; the exit code is 0, or 1 when a parcel is not taken."""
    with open(arguments[0], encoding="utf-8") as file:
        order = json.load(file)
    try:
        lines, total = quote_order(order)
    except ValueError as error:
        print(f"not taken: {error}", file=sys.stderr)
        return 1
    for name, pence in lines:
        print(f"{name}\t{pounds(pence)}")
    print(f"sum\t{pounds(total)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
