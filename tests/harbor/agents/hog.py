#!/usr/bin/python3
"""Does the work, then takes all the memory it can get."""

with open("report.json", "w") as report:
    report.write('{"total": 14.0}')
with open("total.py", "w") as program:
    program.write("print(14.0)\n")
kept = []
while True:
    kept.append(bytearray(16 * 1024 * 1024))
    kept[-1][::4096] = b"x" * len(kept[-1][::4096])
