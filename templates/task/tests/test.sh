#!/bin/bash
# Nothing of the agent's has run here yet; from now on the answers are root's alone.
chmod 700 /tests
exec python3 -I -B /tests/review
