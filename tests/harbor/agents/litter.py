#!/usr/bin/python3
"""Does the work in a tree of 50,000 files and everything that trips up careless tools, with a closed umask."""

import os
import socket

os.umask(0o077)
with open("report.json", "w") as report:
    report.write('{"total": 14.0}')
with open("total.py", "w") as program:
    program.write("print(14.0)\n")
os.mkfifo("queue")
socket.socket(socket.AF_UNIX).bind("door")
for name, target in (
    ("dangling", "nowhere"),
    ("loop", "loop"),
    ("outside", "/etc/passwd"),
    ("up", ".."),
    ("in", "report.json"),
):
    os.symlink(target, name)
os.symlink("../../etc/shadow", "escape")
os.link("report.json", "hard")
with open("sparse.bin", "wb") as sparse:
    sparse.truncate(10 * 1024**3)
for odd in (b"not-utf8-\xff", b"new\nline", b"-rf", b"sp ace", b"com:colon"):
    open(odd, "w").close()
os.mkdir("closed")
open("closed/inside", "w").close()
os.chmod("closed", 0)
os.chmod("total.py", 0o4711)
for number in range(50_000):
    if number % 1000 == 0:
        os.makedirs(f"many/{number // 1000}")
    with open(f"many/{number // 1000}/{number}", "w") as small:
        small.write(f"{number}\n")
