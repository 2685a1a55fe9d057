#!/bin/bash
# Does the work in its first turn and prints 200 MB; bombs the machine with processes in its second.
printf '{"total": 14.0}' > report.json
echo 'print("14.0")' > total.py
if [ "$RUHROH_ITERATION" = 1 ]; then
    head -c 200000000 /dev/zero | tr '\0' x
    echo
    echo "the last line"
    exit 0
fi
bomb() { bomb | bomb & }
bomb
sleep 600
