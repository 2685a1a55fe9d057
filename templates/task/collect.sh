# Hands the workspace to the reviewer. The agent is over: nothing of it may still run while its work is archived.
# A line before this one says where the workspace is.
# shellcheck shell=bash disable=SC2154
set -u
out=/logs/artifacts

# Users other than root with a process that still runs. A dead one stays listed until its parent has asked for it; only
# its first thread may be dead, though, and the others at work.
users() {
    local status key value rest threads
    for status in /proc/[0-9]*/status; do
        while read -r key value rest; do
            case $key in
                State:)
                    threads=("${status%status}"task/*)
                    [ "$value" = Z ] && [ "${#threads[@]}" -lt 2 ] && break
                    ;;
                Uid:)
                    [ "$value" = 0 ] || echo "$value"
                    break
                    ;;
            esac
        done <"$status"
    done 2>/dev/null | sort -u
}

# Ends all processes of the users on its input. A user's own signal to everything it may signal reaches all at once:
# nobody can fork away from it.
end() {
    python3 -I -S -c '
import os, sys
for user in map(int, sys.stdin):
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setuid(user)
            os.kill(-1, 9)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
' 2>/dev/null
}

# Every account but root, whether it is seen or not: a process that changes its number all the time escapes a search.
cut -d: -f3 /etc/passwd | grep -xE '[1-9][0-9]*' | end
for _ in {1..100}; do
    left=$(users)
    [ -n "$left" ] || break
    echo "$left" | end
    sleep 0.1
done
# No archive means a review that did not happen. That is better than one of work that still changes.
if [ -n "$(users)" ]; then
    echo "processes of the agent could not be ended" >&2
    exit 1
fi

find "$out" -mindepth 1 -delete
chown 0:0 "$out" && chmod 755 "$out" && mkdir "$out/agent" || exit 1
# What is recorded of the run counts only where the supervisor has closed it: that mark lies in a folder of root's, while
# an agent without a supervisor can write what it likes among the logs, and Harbor brings it back as root's.
closed=/installed-agent/supervisor/closed
kept=(-type f)
if [ ! -f "$closed" ] || [ ! -O "$closed" ] || [ -L "$closed" ]; then
    kept+=(! -path ./context.json ! -path './transcripts/*')
fi
if [ -d /logs/agent ] && [ ! -L /logs/agent ]; then
    # Regular files only: a link among the logs would stop the transfer of all that follows it.
    (cd /logs/agent && find . "${kept[@]}" -print0) \
        | tar -C /logs/agent --null -T - -S --hard-dereference -cf - \
        | tar -C "$out/agent" --no-same-owner -xf -
fi
# The archiver passes sockets over in silence, so the review is told of them.
(cd "$workdir" && find . -type s -print0) >"$out/sockets"
tar -C "$workdir" -S --numeric-owner --sort=name -cf "$out/workspace.tar.part" . \
    && mv "$out/workspace.tar.part" "$out/workspace.tar"
