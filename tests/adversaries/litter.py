#!/usr/bin/python3
"""Leaves a workspace full of what trips up careless tools, and a good report in the middle of it."""

import os
import socket

os.umask(0o077)
os.mkfifo("queue")
server = socket.socket(socket.AF_UNIX)
server.bind("door")
os.symlink("nowhere", "dangling")
os.symlink("loop", "loop")
os.symlink("/etc/passwd", "outside")
os.symlink("assets/ledger.csv", "inside")
os.makedirs("dist/build/node_modules")
with open("dist/build/node_modules/app.js", "w") as made:
    made.write("made\n")
with open("sparse.bin", "wb") as sparse:
    sparse.truncate(10 * 1024**3)
with open(b"not-utf8-\xff.txt", "w") as odd:
    odd.write("odd\n")
os.mkdir("closed")
open("closed/inside.txt", "w").close()
os.chmod("closed", 0)
with open("unreadable.txt", "w") as hidden:
    hidden.write("hidden\n")
os.chmod("unreadable.txt", 0)
with open("report.json", "w") as report:
    report.write('{"total": 14.00}')
deep = "."
for _ in range(60):
    deep += "/d"
    os.mkdir(deep)
print('{"status": "goal_satisfied"}')
