#!/bin/bash
# Run as root in the agent's container: lists where a canary is, and what the container is.
pattern='CANAR[Y]-7f3a' # which this script and the commands it starts do not hold themselves
echo "files: $(grep -rlE --exclude-dir=proc --exclude-dir=sys "$pattern" / 2>/dev/null | tr '\n' ' ')"
echo "processes: $(cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -cE "$pattern")"
echo "mounts: $(grep -cE "$pattern" /proc/mounts)"
echo "variables: $(env | cut -d= -f1 | sort | tr '\n' ' ')"
echo "interfaces: $(ls /sys/class/net | tr '\n' ' ')"
echo "private: $(ls -d /tests /solution /reviewer 2>/dev/null | tr '\n' ' ')"
