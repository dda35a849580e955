package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"coord"
)

var tags = regexp.MustCompile(`<[^>]*>`)

// textOf is what a reader sees of a page's <main>, in one line.
func textOf(page string) string {
	_, page, _ = strings.Cut(page, "<main")
	return strings.Join(strings.Fields(tags.ReplaceAllString(page, " ")), " ")
}

// TestPagesAnswer holds what each page must say, in the order a reader meets
// it.
func TestPagesAnswer(t *testing.T) {
	cases := map[string][]string{
		"/": {
			"3 projects", "Payments", "ready 2", "active 2", "in review 1", "to land 2", "landed this week 2", "1 recovery required", "2 blocked", "oldest ready 5 h ago", "oldest to land 31 min ago",
			"Storefront", "landed this week 7", "Nothing is stuck.", "Handbook",
			"check test failed on tree 9f2c41d with exit status 1", "As of event 9",
		},
		"/p/pay": {
			"Payments", "git.example.com/shop/pay → main · review agent · lease 30m", "All 13", "recovery required 1", "blocked 2",
			"pay-1 Reject tokens past their expiry ↑? urgent", "saved " + oid("c1.2").Short(), "alpha@mill attempt 2 expired 12 min ago 55 min ago 2 d ago",
			"conflict money/round.go and money/round_test.go conflict with main at 4be10aa Reopens with coord revise pay-2 --reason conflict", "waits for pay-2",
			"pay-4", "delta@forge attempt 1 ends in 22 min 4 min ago", "waiting review 1", "validating 1", "pay-7", "review", "ready 18 min ago", "landed " + oid("land pay-12").Short(), "closed 9 h ago",
		},
		"/p/pay?status=in_progress": {"in progress 2", "pay-4", "pay-5", "Retry the webhook"},
		"/p/pay?q=REFUND":           {"Clear", "pay-4", "Idempotent refunds"},
		"/p/pay?q=zebra":            {"No task fits the filter"},
		"/p/web":                    {"Storefront", "No task yet", "coord import BACKLOG.md"},
		"/p/pay/landing": {
			"main", "Tip " + oid("tip").Short() + " observed at the last landing, 9 h ago", "Held by echo@mill for pay-9 , taken 6 min ago", "hold merge verify publish and read back",
			"Verifying the merged tree. This step began 1 min ago · merged 2 times, the target moved", "merged tree " + oid("mt9").Short(), "Queue 2", "pay-9 Parse amounts", "pay-8 Currency table", "From outside coord 2", oid("outside 1").Short(),
			"release/2", "The server was restored", "no landing was observed yet", "Nobody holds this branch", "release/1", "Diverged: alpha@mill saw it at " + oid("rewound").Short() + " without what landed last", "All 8", "workstation only 2",
			"pay-5", "workstation only push failed: on one machine only", "pay-4", "workstation only – – main delta@forge 26 min ago", "pay-1", "checkpoint pushed",
			"pay-6", "candidate pushed " + oid("c6").Short() + " " + oid("t6").Short() + " main delta@forge 18 min ago", "pay-8", "approved 2 ahead, 1 behind, 3 landed since", "pay-9", "verified on merged tree", "pay-12", "landed",
		},
		"/p/pay/knowledge": {
			"Lessons and facts 1", "L2", "Tokens expire at the second they say.", "for token for token/** version 2 on windows #clock", "verified", "alpha 3 h ago pay-1", "useful to 3, not to 1",
			"Rejected approaches 1", "L3 One clock for the whole process. rejected for pay-1 Look again when tests no longer run at once", "observed",
			"Proposals for rules 1", "L4", "Every expiry has a test.", "the rule expiry, revision 1",
			"Handoffs 1", "H3 2026-02-27 Parser 2026-02-27 feat/parse abc1234 HANDOFF.md:3, imported 1 h ago",
			"Rules 2", "expiry Every expiry has two tests. Revision 2 by warden 1 h ago : stricter", "Earlier texts 1 Every expiry has a test. warden: bitten twice", "style withdrawn",
		},
		"/p/pay/knowledge?status=all&q=tokens": {"Found 2", "L1 Tokens expire at midnight. superseded by L2", "L2"},
		"/p/pay/knowledge?q=cookie&shared=1":   {"Found 1", "web L1 Tokens live in a cookie."},
		"/p/pay/knowledge?q=zebra":             {"Nothing fits"},
		"/p/web/knowledge":                     {"Tokens live in a cookie.", "No rule binds this project."},
		"/p/pay/knowledge?lesson=L2": {
			"L2 lesson Tokens expire at the second they say.", "verified by echo 1 min ago ran it twice", "Learnt by alpha 3 h ago in pay-1 , handed in with pay-1.s1 , shown by r2, imported from docs/LEARNINGS.md . It took the place of L1",
			"Revisions 2 Tokens expire at the second they say. alpha: looked again", "1 Tokens expire early.", "Feedback useful bravo the boundary", "not useful foxtrot",
		},
		"/p/pay/landing?stage=approved": {"approved 1", "pay-8 Currency table as data refs/coord/candidate/pay-8/1 approved"},
		"/p/pay/t/1": {
			"pay-1 recovery required code urgent Reject tokens past their expiry", "Saved by attempt 2: checkpoint " + oid("c1.2").Short() + " , tree " + oid("t1.2").Short(), "Next: Write the test", "The clock is handed down", "a token at exactly its expiry counts as expired",
			"alpha@mill , attempt 2, claimed 3 h ago expired 12 min ago last progress 55 min ago",
			"pay-1.s1", "review pay-14 landing pay-15", "returned", oid("s1").Short(), oid("t1.s1").Short(), "test lint: no receipt",
			"changes requested echo@mill judged pay-1.s1 at commit " + oid("s1").Short(), "required now.After(expiry) must be !now.Before(expiry)", "advisory",
			"pay-1.l1", "Conflicts token/parse.go", "conflict",
			"lint r3", "Does not count: the run changed gen.go", "checkpoint 2.1", "test r2", "passed flaky run again by D1 " + oid("t1.s1").Short() + " submission pay-1.s1 13.1 s forge", "failed exit 1 failed too often", "nothing recorded",
			"2.2", "on one machine only", "2.1", "on the remote", "pay-1.a2", "from " + oid("c1.1").Short(), "expired", "mill /srv/pay.worktrees/pay-1-2", "pay-1.a1", "submitted as pay-1.s1",
			"History 24", "step 24 of the story", "step 5 of the story", "All 24",
		},
		"/p/pay/t/1?section=history": {"The whole task", "History 24", "step 24", "step 1 of the story"},
		"/p/pay/t/12":                {"done", "Landed on main as " + oid("land pay-12").Short() + " , tree " + oid("landtree pay-12").Short()},
		"/p/pay/t/3":                 {"Depends on pay-2 pay-12 waits for pay-2"},
	}
	h, _, in := door(t)
	for path, wants := range cases {
		rest := textOf(request(h, "GET", path, "", in).Body.String())
		whole := rest
		for _, want := range wants {
			want = strings.ReplaceAll(want, "↑? ", "")
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s does not say %q after what comes before it:\n%s", path, want, whole)
				break
			}
			rest = after
		}
	}
}

func TestFilterReachesTheQuery(t *testing.T) {
	h, f, in := door(t)
	page := request(h, "GET", "/p/pay?status=ready&kind=review&q=log&cursor=c9", "", in).Body.String()
	want := coord.TaskQuery{Project: "pay", Status: "ready", Kind: "review", Text: "log", Limit: tasksPerPage, Cursor: "c9"}
	if len(f.queries) != 1 || f.queries[0] != want {
		t.Errorf("the filter became %+v", f.queries)
	}
	if !strings.Contains(page, `value="log"`) || !strings.Contains(page, `<option selected>review`) {
		t.Error("the form does not show the filter")
	}
	if len(f.callers) == 0 || f.callers[0] != warden {
		t.Errorf("the service was asked as %v", f.callers)
	}
}

func TestTimesAreExactToo(t *testing.T) {
	h, _, in := door(t)
	want := `<time datetime="2026-03-04T14:11:07Z" title="2026-03-04 14:11:07 UTC">55 min ago</time>`
	if page := request(h, "GET", "/p/pay", "", in).Body.String(); !strings.Contains(page, want) {
		t.Errorf("no %s on the board", want)
	}
}

func TestRelative(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "just now", -4 * time.Second: "just now", -5 * time.Second: "5 s ago", 59 * time.Second: "in 59 s", -time.Minute: "1 min ago",
		-59*time.Minute - 59*time.Second: "59 min ago", time.Hour: "in 1 h", -47 * time.Hour: "47 h ago", -48 * time.Hour: "2 d ago", -400 * 24 * time.Hour: "400 d ago",
	} {
		if got := relative(d); got != want {
			t.Errorf("relative(%v) = %q, want %q", d, got, want)
		}
	}
}

// budget is for a page with all that it loads.
const budget = 100_000

// TestPagesStaySmall fills every list and every text to its limit.
func TestPagesStaySmall(t *testing.T) {
	h, f, in := door(t)
	f.crowd()
	assets := 0
	for _, a := range readAssets().served {
		assets += len(a.body)
	}
	for _, path := range []string{
		"/", "/p/pay", "/p/pay?status=ready", "/p/pay/landing", "/p/pay/t/1", "/p/pay/t/1?section=history", "/p/pay/t/1?section=receipts", "/p/pay/t/1?section=reviews",
		"/p/pay/t/1?section=checkpoints", "/p/pay/t/1?section=submissions", "/p/pay/t/1?section=landings", "/p/pay/t/1?section=attempts", "/login", "/setup-help",
		"/p/pay/knowledge", "/p/pay/knowledge?lesson=L2", "/p/pay/knowledge?status=all",
	} {
		w := request(h, "GET", path, "", in)
		if n := w.Body.Len() + assets; n > budget {
			t.Errorf("%s costs %d bytes with its assets (page %d), budget %d", path, n, w.Body.Len(), budget)
		} else {
			t.Logf("%s: page %d, in all %d", path, w.Body.Len(), n)
		}
	}
}

// crowd makes every list long and every text as long as people make it.
func (f *fake) crowd() {
	f.crowdKnowledge()
	title := strings.Repeat("A title as long as the record allows it ", 5)
	board := f.boards["pay"]
	for i, c := range board.Columns {
		for len(c.Tasks) < 120 {
			t := c.Tasks[0]
			t.ID, t.Title, t.Owner = coord.NewTaskID("pay", int64(1000*i+len(c.Tasks))), title, f.tasks["pay-1"].Owner
			c.Tasks = append(c.Tasks, t)
		}
		c.Count = len(c.Tasks)
		board.Columns[i] = c
	}
	f.boards["pay"] = board
	l := f.landing["pay"]
	for len(l.Work) < 200 {
		w := l.Work[3]
		w.Title, w.Task = title, coord.NewTaskID("pay", int64(len(l.Work)))
		l.Work = append(l.Work, w)
	}
	for range 200 {
		l.Targets[0].Queue = append(l.Targets[0].Queue, "pay-150")
		l.Targets[0].Outside = append(l.Targets[0].Outside, oid("more"))
	}
	f.landing["pay"] = l
	for len(f.over.Projects) < 60 {
		f.over.Projects = append(f.over.Projects, f.over.Projects[0])
	}
	d := f.tasks["pay-1"]
	text := strings.Repeat("Words that a session wrote about what it did. ", 80)
	d.Outcome = text
	for range 50 {
		d.Criteria = append(d.Criteria, strings.Repeat("One criterion in some words. ", 3))
	}
	d.Attempts = fillTo(d.Attempts, 60)
	for i := range d.Checkpoints {
		d.Checkpoints[i].Note = text
	}
	d.Checkpoints = fillTo(d.Checkpoints, 300)
	d.Receipts = fillTo(d.Receipts, 300)
	d.Submissions[0].Summary = text
	d.Submissions = fillTo(d.Submissions, 40)
	d.Reviews[0].Note = text
	for range 12 {
		d.Reviews[0].Findings = append(d.Reviews[0].Findings, coord.Finding{Severity: coord.SeverityRequired, Text: title})
	}
	d.Reviews = fillTo(d.Reviews, 40)
	d.Landings = fillTo(d.Landings, 40)
	d.Events = fillTo(d.Events, 200)
	f.tasks["pay-1"] = d
}

func fillTo[T any](list []T, n int) []T {
	for len(list) < n {
		list = append(list, list[len(list)%3%max(1, min(len(list), 3))])
	}
	return list
}

func TestLongListsPage(t *testing.T) {
	h, f, in := door(t)
	f.crowd()
	for path, wants := range map[string][]string{
		"/p/pay":                              {`href="?status=ready">show all`},
		"/p/pay?status=ready":                 {`href="?cursor=next%2B1&amp;status=ready" rel="next"`},
		"/p/pay/landing":                      {"1–50 of 200", `href="?page=2" rel="next"`},
		"/p/pay/landing?page=4":               {"151–200 of 200", `href="?page=3" rel="prev"`},
		"/p/pay/landing?page=99":              {"151–200 of 200"},
		"/":                                   {"1–24 of 60"},
		"/p/pay/t/1":                          {`href="?section=checkpoints">All 300`},
		"/p/pay/t/1?section=history&page=2":   {"26–50 of 200", `href="?section=history" rel="prev"`, `href="?page=3&amp;section=history" rel="next"`},
		"/p/pay/t/1?section=receipts&page=-1": {"1–20 of 300"},
	} {
		page := request(h, "GET", path, "", in).Body.String()
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %s", path, want)
			}
		}
	}
}

func TestPagesLinkOnlyToWhatExists(t *testing.T) {
	h, f, in := door(t)
	seen := map[string]bool{}
	link := regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
	queue := []string{"/"}
	for len(queue) > 0 && len(seen) < 300 {
		path := queue[0]
		queue = queue[1:]
		if path, _, _ = strings.Cut(path, "#"); seen[path] || path == "/logout" || path == "" {
			continue
		}
		seen[path] = true
		w := request(h, "GET", path, "", in)
		missing := strings.HasPrefix(path, "/p/docs") || strings.HasPrefix(path, "/p/web/landing") || strings.HasPrefix(path, "/p/pay/t/1") && len(path) == len("/p/pay/t/14") // not filled in
		if w.Code >= 400 && !missing {
			t.Errorf("%s answers %d", path, w.Code)
		}
		for _, m := range link.FindAllStringSubmatch(w.Body.String(), -1) {
			to := strings.ReplaceAll(m[1], "&amp;", "&")
			if strings.HasPrefix(to, "?") {
				base, _, _ := strings.Cut(path, "?")
				to = base + to
			}
			queue = append(queue, to)
		}
	}
	if len(seen) < 30 || f.failWith != nil {
		t.Errorf("only %d pages were found: %v", len(seen), fmt.Sprint(seen))
	}
}
