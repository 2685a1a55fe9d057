#!/bin/bash
reward=0
if [ "$(cat /app/copy.txt 2>/dev/null)" = harbour ]; then
    reward=1
fi
mkdir -p /logs/verifier
echo "{\"reward\": ${reward}}" >/logs/verifier/reward.json
