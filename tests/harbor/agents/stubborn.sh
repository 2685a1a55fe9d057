#!/bin/bash
# Does the work and never ends; what it starts is deaf to every signal that one can be deaf to.
printf '{"total": 14.0}' > report.json
echo 'print("14.0")' > total.py
echo "its output"
mkdir -p /logs/agent && echo '{"version": "harborsmith_run_context_v1", "completed": true}' > /logs/agent/context.json
(setsid bash -c "trap '' TERM HUP INT; while :; do date +%s.%N >> late.txt; sleep 0.02; done" >/dev/null 2>&1 &)
trap '' TERM INT HUP
while :; do sleep 60; done
