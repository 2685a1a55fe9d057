"""Digest of an access log: requests and bytes for each path, and how many lines could not be read."""

import re
import sys

CLASSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
STATUS = re.compile(rb"[1-5][0-9][0-9]")
BYTES = re.compile(rb"[0-9]+|-")


class Usage(Exception):
    """The command line is wrong; the text says how."""


def options(words):
    """The number of paths to print (None for all) and the class of status to count (None for all)."""
    top, status = None, None
    words = list(words)
    while words:
        name = words.pop(0)
        if name not in ("--top", "--status"):
            raise Usage(f"unknown argument {name!r}: use --top N or --status CLASS")
        value = words.pop(0) if words else ""
        if name == "--top":
            if not re.fullmatch(r"[0-9]+", value, re.ASCII) or int(value) < 1:
                raise Usage("--top needs a whole number from 1 on")
            top = int(value)
        elif value in CLASSES:
            status = value
        else:
            raise Usage(f"--status needs one of {', '.join(CLASSES)}")
    return top, status


def digest(lines, status):
    """Path -> [requests, bytes], and the number of skipped lines."""
    found, skipped = {}, 0
    for line in lines:
        line = line.rstrip(b"\n")
        line = line[:-1] if line.endswith(b"\r") else line
        if not line:
            continue
        fields = line.split(b" ")
        if len(fields) != 6 or not all(fields) or not STATUS.fullmatch(fields[4]) or not BYTES.fullmatch(fields[5]):
            skipped += 1
            continue
        if status is None or fields[4][:1] == status[:1].encode():
            entry = found.setdefault(fields[3].split(b"?", 1)[0], [0, 0])
            entry[0] += 1
            entry[1] += 0 if fields[5] == b"-" else int(fields[5])
    return found, skipped


def main():
    """Print the digest of standard input."""
    try:
        top, status = options(sys.argv[1:])
    except Usage as problem:
        print(f"digest.py: {problem}", file=sys.stderr)
        return 64
    found, skipped = digest(sys.stdin.buffer, status)
    order = sorted(found, key=lambda path: (-found[path][0], path))
    for path in order[:top]:
        sys.stdout.buffer.write(b"%s\t%d\t%d\n" % (path, *found[path]))
    sys.stdout.buffer.write(b"skipped\t%d\n" % skipped)
    return 0


if __name__ == "__main__":
    sys.exit(main())
