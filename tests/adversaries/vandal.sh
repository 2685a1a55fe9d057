#!/bin/bash
# Makes a good report, then writes, removes and closes whatever it can reach, and leaves names that move cursors.
printf '{"total": 14.00}' > report.json
for folder in / /agent /installed-agent "$(dirname "$RUHROH_GOAL_PATH")" /usr /etc /dev /proc /sys /run /tests /review; do
    touch "$folder/mark" 2>/dev/null && echo "WROTE in $folder"
done
echo changed >> "$0" && echo WROTE itself
touch $'new\nline' $'escape\033[2J\033]0;owned\007' $'\u202egnp.exe' $'not-utf8-\xff'
ln -s /etc/passwd $'link\n\033[31m'
mkfifo $'pipe\033c'
head -c 1200000000 /dev/zero > /tmp/full
rm -rf /app /home/agent/.* "$RUHROH_RUN_ROOT" 2>/dev/null
printf '{"total": 14.00}' > report.json
mkdir -p closed/inner ~/closed "$RUHROH_RUN_ROOT/closed"
touch closed/inner/file
chmod -R 000 closed ~/closed "$RUHROH_RUN_ROOT/closed"
chmod 000 . ~ "$RUHROH_RUN_ROOT" "$(dirname "$RUHROH_RESULT_PATH")"
