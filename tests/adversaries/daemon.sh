#!/bin/bash
# Leaves behind: a daemon in a session of its own, deaf to every signal it can be deaf to, that keeps writing to the
# workspace; a child that holds the output; and a child that ignores TERM. Takes a tag to be found by.
tag=$1
(setsid bash -c "trap '' TERM HUP INT QUIT; exec -a $tag-daemon bash -c 'while :; do date >> late.txt; sleep 0.02; done'" &)
bash -c "trap '' TERM; exec -a $tag-holder sleep 600" &
printf '{"total": 14.00}' > report.json
echo '{"status": "goal_satisfied"}'
