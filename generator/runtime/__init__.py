"""What runs beside the work: review runner, loop state machine, verdict rules, process tree and output helpers.

Standard library only, Python 3.9 and later, and nothing of ours: a copy of this folder travels inside every package and
runs in images we do not control.
"""
