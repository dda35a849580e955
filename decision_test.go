package coord

import (
	"strings"
	"testing"
	"time"
)

var asked = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

func askOf(edit func(*Ask)) Ask {
	c := Ask{Project: "pay", Question: "Which?", Options: []string{"a", "b"}}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestAskValidate(t *testing.T) {
	many := strings.Split(strings.Repeat("x,", 20)+"x", ",")
	for i := range many {
		many[i] += strings.Repeat("y", i)
	}
	for name, edit := range map[string]func(*Ask){
		"no question":                         func(c *Ask) { c.Question = " " },
		"one option":                          func(c *Ask) { c.Options = c.Options[:1] },
		"21 options":                          func(c *Ask) { c.Options = many },
		"an option twice":                     func(c *Ask) { c.Options = []string{"a", "a"} },
		"an option with blanks around":        func(c *Ask) { c.Options = []string{"a", "b "} },
		"an option of two lines":              func(c *Ask) { c.Options = []string{"a", "b\nc"} },
		"a recommendation that is no option":  func(c *Ask) { c.Recommendation = "c" },
		"an unknown actor":                    func(c *Ask) { c.RequiredActor = "nobody" },
		"an answer by time-out that is asked": func(c *Ask) { c.RequiredActor = ActorTimeout },
		"101 tasks":                           func(c *Ask) { c.Tasks = make([]TaskID, 101) },
		"a time in the past":                  func(c *Ask) { c.ExpiresIn = -1 },
		"stands without being reversible":     func(c *Ask) { c.Recommendation, c.StandsIn = "a", 1 },
		"stands without a recommendation":     func(c *Ask) { c.Reversible, c.StandsIn = true, 1 },
		"stands in place of a person": func(c *Ask) {
			c.Reversible, c.Recommendation, c.StandsIn, c.RequiredActor = true, "a", 1, ActorHuman
		},
		"expires before it stands": func(c *Ask) { c.Reversible, c.Recommendation, c.StandsIn, c.ExpiresIn = true, "a", 2, 2 },
	} {
		if err := askOf(edit).Validate(); CodeOf(err) != CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	ok := askOf(func(c *Ask) {
		c.Options, c.Recommendation, c.Reversible, c.StandsIn, c.ExpiresIn = many[:20], many[3], true, 1, 2
	})
	if err := ok.Validate(); err != nil {
		t.Error(err)
	}
}

func TestV8_Decided(t *testing.T) {
	agent, person := Caller{Role: RoleAgent, Name: "alpha"}, Caller{Role: RoleOperator, Name: "warden"}
	later := asked.Add(time.Hour)
	expired := asked
	for name, c := range map[string]struct {
		edit        func(*Decision)
		by          Caller
		option      string
		contributor bool
		want        Code
	}{
		"an agent":                           {by: agent, option: "a"},
		"a person":                           {by: person, option: "b"},
		"a contributor, of an ordinary one":  {by: agent, option: "a", contributor: true},
		"no option":                          {by: agent, option: "A", want: CodeBadRequest},
		"answered already":                   {edit: func(d *Decision) { d.State = DecisionAnswered }, by: person, option: "a", want: CodeStateConflict},
		"superseded":                         {edit: func(d *Decision) { d.State = DecisionSuperseded }, by: person, option: "a", want: CodeStateConflict},
		"at its very expiry":                 {edit: func(d *Decision) { d.ExpiresAt = &later }, by: person, option: "a", want: CodeStateConflict},
		"expired":                            {edit: func(d *Decision) { d.ExpiresAt = &expired }, by: person, option: "a", want: CodeStateConflict},
		"an agent for a person":              {edit: func(d *Decision) { d.RequiredActor = ActorHuman }, by: agent, option: "a", want: CodeNotPermitted},
		"a person for an agent":              {edit: func(d *Decision) { d.RequiredActor = ActorAgent }, by: person, option: "a"},
		"set-up":                             {by: Caller{Role: RoleSetup}, option: "a", want: CodeNotPermitted},
		"a contributor, of an escalation":    {edit: func(d *Decision) { d.Escalation = true }, by: agent, option: "a", contributor: true, want: CodeNotIndependent},
		"somebody else, of an escalation":    {edit: func(d *Decision) { d.Escalation = true }, by: agent, option: "a"},
		"a note of an escalation by a human": {edit: func(d *Decision) { d.Escalation = true }, by: person, option: "b"},
	} {
		d := askOf(nil).Begin(asked)
		d.ID = "D1"
		if c.edit != nil {
			c.edit(&d)
		}
		got, err := d.Decided(Decide{Option: c.option, Note: "so"}, c.by, c.contributor, later)
		if CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err != nil {
			if got.Answer != d.Answer || got.State != d.State || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("%s: refused, and %+v: %v", name, got, err)
			}
			continue
		}
		if a := got.Answer; got.State != DecisionAnswered || a.Option != c.option || a.By != c.by.Name || a.Actor != ActorOf(c.by.Role) || !a.At.Equal(later) || a.Note != "so" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestDecisionStands(t *testing.T) {
	allowed, silent := Policy{TimedAnswers: true}, Policy{}
	base := askOf(func(c *Ask) {
		c.Reversible, c.Recommendation, c.StandsIn, c.ExpiresIn = true, "b", Duration(time.Hour), Duration(2*time.Hour)
	}).Begin(asked)
	for name, c := range map[string]struct {
		edit   func(*Decision)
		policy Policy
		after  time.Duration
		want   bool
	}{
		"in time":              {policy: allowed, after: time.Hour, want: true},
		"just before":          {policy: allowed, after: time.Hour - 1},
		"the policy is silent": {policy: silent, after: time.Hour},
		"expired meanwhile":    {policy: allowed, after: 2 * time.Hour},
		"answered":             {edit: func(d *Decision) { d.State = DecisionAnswered }, policy: allowed, after: time.Hour},
		"not reversible":       {edit: func(d *Decision) { d.Reversible = false }, policy: allowed, after: time.Hour},
		"a person's":           {edit: func(d *Decision) { d.RequiredActor = ActorHuman }, policy: allowed, after: time.Hour},
		"no time":              {edit: func(d *Decision) { d.StandsAt = nil }, policy: allowed, after: time.Hour},
	} {
		d := base
		if c.edit != nil {
			c.edit(&d)
		}
		if got := d.Stands(c.policy, asked.Add(c.after)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if a := base.StandingAnswer(asked).Answer; a.Option != "b" || a.Actor != ActorTimeout {
		t.Errorf("%+v", a)
	}
}

func TestCheckSupersede(t *testing.T) {
	for name, c := range map[string]struct {
		d    Decision
		ask  Ask
		role Role
		want Code
	}{
		"an agent's, by an agent":               {Decision{State: DecisionAnswered, RequiredActor: ActorEither, Answer: &Answer{Actor: ActorAgent}}, Ask{}, RoleAgent, ""},
		"expired":                               {Decision{State: DecisionExpired, RequiredActor: ActorEither}, Ask{}, RoleAgent, ""},
		"superseded already":                    {Decision{State: DecisionSuperseded, SupersededBy: "D2"}, Ask{}, RoleOperator, CodeStateConflict},
		"a person's question, by an agent":      {Decision{State: DecisionOpen, RequiredActor: ActorHuman}, Ask{}, RoleAgent, CodeNotPermitted},
		"what a person answered, by an agent":   {Decision{State: DecisionAnswered, RequiredActor: ActorEither, Answer: &Answer{Actor: ActorHuman}}, Ask{}, RoleAgent, CodeNotPermitted},
		"what a person answered, by a person":   {Decision{State: DecisionAnswered, RequiredActor: ActorEither, Answer: &Answer{Actor: ActorHuman}}, Ask{}, RoleOperator, ""},
		"what a time-out answered, by an agent": {Decision{State: DecisionAnswered, RequiredActor: ActorEither, Answer: &Answer{Actor: ActorTimeout}}, Ask{}, RoleAgent, ""},
		"an escalation":                         {Decision{State: DecisionOpen, RequiredActor: ActorEither, Escalation: true}, Ask{}, RoleAgent, ""},
		"an escalation, to be answered by time": {Decision{State: DecisionOpen, RequiredActor: ActorEither, Escalation: true}, Ask{StandsIn: Duration(time.Second)}, RoleOperator, CodeBadRequest},
	} {
		if err := c.d.CheckSupersede(c.ask, c.role); CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
