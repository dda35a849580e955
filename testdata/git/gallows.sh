#!/bin/sh
# A git in front of the real one, for tests of kills. It counts how often it is
# run and, at one of them, kills the process that ran it, and itself with all that
# it started: before it does anything, or when all is done.
n=$(($(cat "$KILL/count") + 1)); echo $n >"$KILL/count"
echo $PPID >"$KILL/parent"; echo $$ >"$KILL/group"
echo "$n $*" >>"$KILL/log"
if [ "$n" = "$KILL_AT" ]; then
	if [ "$KILL_AFTER" ]; then "$REAL_GIT" "$@" >/dev/null 2>&1; fi
	kill -9 $PPID; kill -9 0
fi
exec "$REAL_GIT" "$@"
