# Reads the output of go test -bench for ./server/store, passes it on, and ends
# with the ratios that it was made for.

{ print }

/^BenchmarkCommit\// || /^BenchmarkNext\// {
	split($1, part, "/")
	sub(/-[0-9]+$/, "", part[3])
	time[part[2], part[3]] = $3
}

function times(what, slow, fast, goal) {
	if (time[slow] > 0 && time[fast] > 0)
		printf "%-46s %6.2fx  (goal %s)\n", what, time[slow] / time[fast], goal
}

END {
	print ""
	split("at least 0.9,none,at least 2.5", goal, ",")
	split("1 8 50", clients, " ")
	for (i = 1; i <= 3; i++)
		times("group commit in process, clients " clients[i], "clients=" clients[i] SUBSEP "single", "clients=" clients[i] SUBSEP "group", goal[i])
	n = split("claim+release heartbeat next brief list create", verb, " ")
	for (i = 1; i <= n; i++) {
		times(verb[i] " at 100,000 tasks against 1,000", "tasks=100000" SUBSEP verb[i], "tasks=1000" SUBSEP verb[i], "at most 1.3")
		times(verb[i] " at 1,000,000 tasks against 1,000", "tasks=1000000" SUBSEP verb[i], "tasks=1000" SUBSEP verb[i], "at most 1.3")
	}
}
