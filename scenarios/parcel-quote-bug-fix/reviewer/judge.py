"""Judges the mended parcel counter: runs it on orders it has not seen and compares every price with the price list."""

import json
import random
from pathlib import Path
from typing import Any

from judging import Finding, Ran, Unreadable, load_input, read_text, run_work, write_verdict

BANDS = ((500, 320), (2000, 450), (5000, 790), (20000, 1360))
LOAD = 'printf %s "$1" > review-order.json; python3 -B -m parcel review-order.json 2> /dev/null'
REFUSE = f"{LOAD}; [ $? -eq 1 ]"
BREAK_AGAIN = (
    'for name in prices quote surcharge; do printf %s "$1" > "parcel/$name.py"; shift; done;'
    ' python3 -I -B -m unittest discover -s tests -t . -p "$1"; [ $? -eq 1 ]'
)
DIRECT = (
    "import json, sys; from parcel.quote import quote_order, quote_parcel; order = json.loads(sys.argv[1]);"
    "first = quote_order(order); alone = [quote_parcel(p, club=order['club']) for p in order['parcels']];"
    "print(json.dumps([first, quote_order(order), alone]))"
)


def price(parcel: dict[str, Any], club: bool) -> int:
    """The right price of a parcel in pence, by the rules of the price list."""
    pence = next(amount for limit, amount in BANDS if parcel["grams"] <= limit)
    pence += 250 if max(parcel["cm"]) > 60 else 0
    return (pence * 93 + 50) // 100 if club else pence


def printed(order: dict[str, Any]) -> str:
    """What the counter has to print for an order."""
    prices = [price(parcel, order["club"]) for parcel in order["parcels"]]
    names = [parcel["id"] for parcel in order["parcels"]]
    return "".join(
        f"{name}\t{pence // 100}.{pence % 100:02d}\n" for name, pence in zip([*names, "sum"], [*prices, sum(prices)])
    )


def order_of(weights: list[int], sides: list[int], club: bool) -> dict[str, Any]:
    """An order of parcels with the given weights and longest sides."""
    pairs = enumerate(zip(weights, sides))
    return {
        "club": club,
        "parcels": [{"id": f"p{n}", "grams": grams, "cm": [12, side, 9]} for n, (grams, side) in pairs],
    }


def compare(title: str, orders: list[dict[str, Any]], ran: list[Ran]) -> Finding:
    """Quote each order in a run of its own and compare what is printed with the price list."""
    for order in orders:
        run = run_work(f"python3 -m parcel ORDER.json ({title})", "bash", "-c", LOAD, "bash", json.dumps(order))
        ran.append(run)
        if run.exit_code != 0 or run.output != printed(order):
            notes = f"{title}: {json.dumps(order)[:160]} is quoted as {run.output[:120]!r}"
            return Finding(False, notes, [("parcel", notes)])
    return Finding(
        True,
        f"{title}: {len(orders)} orders quoted as the price list says",
        [("parcel", "every printed price is right")],
    )


def interface(ran: list[Ran]) -> Finding:
    """The two functions of the till: whole pence, same answers on every call, refusals as before."""
    order = order_of([500, 1200, 20000], [61, 60, 200], club=True)
    prices = [price(parcel, True) for parcel in order["parcels"]]
    quote = [[[f"p{n}", pence] for n, pence in enumerate(prices)], sum(prices)]
    run = run_work("quote_order and quote_parcel, called directly", "python3", "-B", "-c", DIRECT, json.dumps(order))
    heavy = json.dumps(order_of([20001], [10], False))
    refused = run_work("python3 -m parcel with 20001 g ends with 1", "bash", "-c", REFUSE, "bash", heavy)
    ran += [run, refused]
    right = run.exit_code == 0 and run.output.strip() == json.dumps([quote, quote, prices])
    problems = [] if right else [f"called directly, the functions give {run.output.strip()[:160]!r}"]
    if refused.exit_code != 0 or refused.output:
        problems.append("a parcel that is too heavy is no longer refused as it was")
    notes = "; ".join(problems) or "names, results and refusals are those the till knows"
    return Finding(not problems, notes, [("parcel/quote.py", notes)])


def own_tests(workspace: Path, ran: list[Ran]) -> Finding:
    """New tests stand beside the given ones, pass, and would have found the faults."""
    new = sorted(path for path in (workspace / "tests").glob("test*.py") if path.name != "test_quote.py")
    try:
        texts = [read_text(path) for path in new]
    except Unreadable as problem:
        return Finding(False, str(problem), [("tests", str(problem))])
    count = sum(text.count("def test_") for text in texts)
    run = run_work(
        "python3 -m unittest discover", "python3", "-I", "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."
    )
    ran.append(run)
    noticing = [path for path in new if run.exit_code == 0 and notices(path, ran)]
    notes = (
        f"{count} tests in {len(new)} new files; {len(noticing)} of the files fail on the old program;"
        f" the whole suite ends with {run.exit_code}"
    )
    return Finding(count >= 2 and bool(noticing), notes, [("tests", notes)])


def notices(path: Path, ran: list[Ran]) -> bool:
    """Whether the tests of one file fail when the old, faulty modules are put back."""
    old = [
        (Path(__file__).parent / "original" / f"{name}.py").read_text(encoding="utf-8")
        for name in ("prices", "quote", "surcharge")
    ]
    run = run_work(
        f"the tests of {path.name} fail on the old program", "bash", "-c", BREAK_AGAIN, "bash", *old, path.name
    )
    ran.append(run)
    return run.exit_code == 0


def orders() -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Orders for the three complaints; most are drawn, always the same ones, so that a verdict can be repeated."""
    around = [min(limit + step, 20000) for limit, _ in BANDS for step in (-1, 0, 1)]
    limits = [order_of(around, [20] * len(around), False)]
    draw = random.Random(6012)
    bulky = [order_of([draw.choice(around) for _ in range(6)], [75, 60, 61, 20, 130, 59], False) for _ in range(2)]
    members = [order_of([400, 1200, 1999, 1200, 4000], [61, 20, 61, 20, 20], True)]
    members.append(order_of([draw.choice(around) for _ in range(8)], [draw.choice((20, 61)) for _ in range(8)], True))
    return limits, bulky, members


def main() -> None:
    """Judge the workspace of this review."""
    given = load_input()
    ran: list[Ran] = []
    limits, bulky, members = orders()
    findings = [
        compare("limits of the price list", limits, ran),
        compare("bulky and small parcels together", bulky, ran),
        compare("club discount", members, ran),
        interface(ran),
        own_tests(Path(given["workspacePath"]), ran),
    ]
    write_verdict(given, "parcel-quote", findings, ran)


main()
