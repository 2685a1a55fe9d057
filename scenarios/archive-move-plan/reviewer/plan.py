"""Reads a plan: its sections, tables and lists, as far as they are laid out as asked."""

import re

CODE = re.compile(r"`([^`\n]+)`")


def section(text: str, title: str) -> list[str]:
    """The lines below the level-two heading `title`, up to the next heading of that level."""
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        if re.match(r"#{1,2} ", line):
            inside = line.strip().lower() == f"## {title}".lower()
        elif inside:
            found.append(line.strip())
    return found


def table(lines: list[str], header: list[str]) -> list[dict[str, str]]:
    """The rows of the first table whose header is `header` (capitals do not matter), each with all its cells."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    wanted = [name.lower() for name in header]
    starts = [n for n, row in enumerate(rows) if [cell.lower() for cell in row] == wanted]
    if not starts:
        return []
    body = rows[starts[0] + 2 :]
    return [dict(zip(header, (cell.strip("`* ") for cell in row))) for row in body if len(row) == len(header)]


def questions(lines: list[str]) -> list[list[str]]:
    """For each item of a list the words it has in backticks."""
    return [CODE.findall(line) for line in lines if line.startswith(("- ", "* "))]
