package coord

import (
	"slices"
	"time"
)

// Actor is whose act something is, or whose it has to be.
type Actor string

// The actors. Either is only ever asked for, never recorded.
const (
	ActorAgent   Actor = "agent"
	ActorHuman   Actor = "human"
	ActorEither  Actor = "either"
	ActorTimeout Actor = "timeout" // nobody: a recommendation that was allowed to stand
)

// Allows reports whether the role may act where a is required. A person may
// act wherever an agent may; an agent never as a person.
func (a Actor) Allows(r Role) bool {
	switch r {
	case RoleOperator:
		return true
	case RoleAgent:
		return a == ActorAgent || a == ActorEither
	}
	return false
}

// ActorOf is the actor that a role acts as.
func ActorOf(r Role) Actor {
	if r == RoleOperator {
		return ActorHuman
	}
	return ActorAgent
}

// ReviewMode says who must approve a submission before it may land.
type ReviewMode string

// The review modes.
const (
	ReviewNone   ReviewMode = "none"
	ReviewAgent  ReviewMode = "agent"  // an independent agent session, or a person
	ReviewHuman  ReviewMode = "human"  // a person
	ReviewBoth   ReviewMode = "both"   // an agent and a person
	ReviewEither ReviewMode = "either" // whoever comes first
)

// Slots are the approvals that the mode asks for, each by a review task of
// its own.
func (m ReviewMode) Slots() []Actor {
	switch m {
	case ReviewAgent:
		return []Actor{ActorAgent}
	case ReviewHuman:
		return []Actor{ActorHuman}
	case ReviewBoth:
		return []Actor{ActorAgent, ActorHuman}
	case ReviewEither:
		return []Actor{ActorEither}
	}
	return nil
}

// Independence says how far a reviewer must be from those who contributed.
type Independence string

// The degrees, each on top of the one before.
const (
	IndependentSession Independence = "session" // a session that never contributed nor descends from one that did
	IndependentAgent   Independence = "agent"   // also another principal, which no contributor created
	IndependentMachine Independence = "machine" // also on another machine
)

// RecoveryMode says who frees a task whose owner's lease ended.
type RecoveryMode string

// The recovery modes.
const (
	RecoverAgent  RecoveryMode = "agent"  // any agent, after the grace
	RecoverManual RecoveryMode = "manual" // an operator releases it first
)

// IntegrationMode says whether a landing needs a person's word.
type IntegrationMode string

// The integration modes.
const (
	IntegrateAuto  IntegrationMode = "auto"
	IntegrateHuman IntegrationMode = "human" // an operator authorizes each landing
)

// Policy is what a project requires, and what it delegates to agents. Editing
// it never makes finished work stale: submissions pin the digest of what was
// judged, nothing else. A field that is left out has its value of
// DefaultPolicy.
type Policy struct {
	Review        ReviewMode      `json:"review,omitempty" enum:"none,agent,human,both,either"`
	Independence  Independence    `json:"independence,omitempty" enum:"session,agent,machine"`
	Recovery      RecoveryMode    `json:"recovery,omitempty" enum:"agent,manual"`
	Integration   IntegrationMode `json:"integration,omitempty" enum:"auto,human"`
	Strategy      Strategy        `json:"strategy,omitempty" enum:"merge,squash,rebase,ff" doc:"How work is brought into its target."`
	Lease         Duration        `json:"lease,omitempty" doc:"Length of a lease, such as 30m."`
	RecoveryGrace Duration        `json:"recovery_grace" doc:"How long after expiry another session may recover."`
	ProgressCap   Duration        `json:"progress_cap,omitempty" doc:"A lease is not renewed further than this after the last checkpoint."`
	AttemptCap    Duration        `json:"attempt_cap,omitempty" doc:"A lease is not renewed further than this after the claim."`
	HeldLimit     int             `json:"held_limit,omitempty" doc:"Live attempts that one session may hold."`
	FindingLimit  int             `json:"finding_limit,omitempty" doc:"How often one class of required finding may come back before a decision is asked for."`
	ReviseLimit   int             `json:"revise_limit,omitempty" doc:"How often a task's submissions may be sent back in a day before a decision is asked for."`
	// What agents may do by themselves.
	AgentRules        bool `json:"agent_rules,omitempty" doc:"Agents may change binding rules."`
	TimedAnswers      bool `json:"timed_answers,omitempty" doc:"The recommendation of a reversible decision may stand when nobody answers in time."`
	OperatorResources bool `json:"operator_resources,omitempty" doc:"Only operators may create shared resources."`
	OperatorImports   bool `json:"operator_imports,omitempty" doc:"Only operators may apply imports; else agents may apply what adds planned tasks and knowledge."`
}

// DefaultPolicy is used where a project says nothing.
func DefaultPolicy() Policy {
	return Policy{
		Review: ReviewAgent, Independence: IndependentSession, Recovery: RecoverAgent, Integration: IntegrateAuto, Strategy: StrategyMerge,
		Lease: Duration(30 * time.Minute), RecoveryGrace: Duration(30 * time.Second),
		ProgressCap: Duration(4 * time.Hour), AttemptCap: Duration(24 * time.Hour),
		HeldLimit: 8, FindingLimit: 3, ReviseLimit: 3,
	}
}

// Complete fills what was left out from DefaultPolicy. The grace may be zero,
// so it is taken as it is.
func (p Policy) Complete() Policy {
	d := DefaultPolicy()
	fill(&p.Review, d.Review)
	fill(&p.Independence, d.Independence)
	fill(&p.Recovery, d.Recovery)
	fill(&p.Integration, d.Integration)
	fill(&p.Strategy, d.Strategy)
	fill(&p.Lease, d.Lease)
	fill(&p.ProgressCap, d.ProgressCap)
	fill(&p.AttemptCap, d.AttemptCap)
	fill(&p.HeldLimit, d.HeldLimit)
	fill(&p.FindingLimit, d.FindingLimit)
	fill(&p.ReviseLimit, d.ReviseLimit)
	return p
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Validate checks the values of a complete policy.
func (p Policy) Validate() error {
	const longest = Duration(30 * 24 * time.Hour)
	switch {
	case !slices.Contains([]ReviewMode{ReviewNone, ReviewAgent, ReviewHuman, ReviewBoth, ReviewEither}, p.Review):
		return Errorf(CodeBadRequest, "review mode %q is not none, agent, human, both or either", string(p.Review))
	case !slices.Contains([]Independence{IndependentSession, IndependentAgent, IndependentMachine}, p.Independence):
		return Errorf(CodeBadRequest, "independence %q is not session, agent or machine", string(p.Independence))
	case p.Recovery != RecoverAgent && p.Recovery != RecoverManual:
		return Errorf(CodeBadRequest, "recovery %q is not agent or manual", string(p.Recovery))
	case p.Integration != IntegrateAuto && p.Integration != IntegrateHuman:
		return Errorf(CodeBadRequest, "integration %q is not auto or human", string(p.Integration))
	case !slices.Contains(Strategies, p.Strategy):
		return Errorf(CodeBadRequest, "strategy %q is not merge, squash, rebase or ff", string(p.Strategy))
	case p.Lease < Duration(time.Second) || p.Lease > Duration(24*time.Hour):
		return Errorf(CodeBadRequest, "a lease of %s is outside 1s to 24h", p.Lease)
	case p.RecoveryGrace < 0 || p.RecoveryGrace > Duration(24*time.Hour):
		return Errorf(CodeBadRequest, "a recovery grace of %s is outside 0s to 24h", p.RecoveryGrace)
	case p.ProgressCap < Duration(time.Second) || p.ProgressCap > longest:
		return Errorf(CodeBadRequest, "a progress cap of %s is outside 1s to 720h", p.ProgressCap)
	case p.AttemptCap < Duration(time.Second) || p.AttemptCap > longest:
		return Errorf(CodeBadRequest, "an attempt cap of %s is outside 1s to 720h", p.AttemptCap)
	}
	for name, n := range map[string]int{"held_limit": p.HeldLimit, "finding_limit": p.FindingLimit, "revise_limit": p.ReviseLimit} {
		if n < 1 || n > 1000 {
			return Errorf(CodeBadRequest, "%s %d is outside 1 to 1000", name, n)
		}
	}
	return nil
}

// Extend is the end of a lease after a renewal at now: now plus the lease's
// length, never earlier than before. At the progress cap, counted from the
// last checkpoint, and at the attempt cap, counted from the claim, the lease
// is stalled: it is not extended any more.
func (p Policy) Extend(a AttemptFacts, now time.Time) (expiresAt time.Time, stalled bool) {
	if p.Stalled(a, now) {
		return a.ExpiresAt, true
	}
	if next := now.Add(time.Duration(p.Lease)); next.After(a.ExpiresAt) {
		return next, false
	}
	return a.ExpiresAt, false
}

// Stalled reports whether the attempt reached a cap.
func (p Policy) Stalled(a AttemptFacts, now time.Time) bool {
	return !now.Before(a.ProgressAt.Add(time.Duration(p.ProgressCap))) || !now.Before(a.StartedAt.Add(time.Duration(p.AttemptCap)))
}

// SetPolicy replaces a project's policy: an operator's act, whatever it
// changes. Revision is the one that the caller read.
type SetPolicy struct {
	Key      Key        `json:"-"`
	Project  ProjectKey `json:"-"`
	Revision int64      `json:"revision"`
	Policy   Policy     `json:"policy"`
	Reason   string     `json:"reason"`
}

// Validate checks everything that needs no stored record.
func (c SetPolicy) Validate() error {
	if err := checkText("reason", c.Reason, 1, 2000); err != nil {
		return err
	}
	return c.Policy.Complete().Validate()
}

// PolicyRevision is one state that a project's policy had.
type PolicyRevision struct {
	Revision int64     `json:"revision"`
	Policy   Policy    `json:"policy"`
	Author   string    `json:"author"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

// CheckSetPolicy decides whether a project's policy may be replaced by a
// caller who read it at the command's revision.
func (c SetPolicy) CheckSetPolicy(p Project) error {
	if c.Revision == p.PolicyRevision {
		return nil
	}
	return Errorf(CodeStateConflict, "the policy of %s is at revision %d, not %d: somebody else changed it meanwhile; nothing was changed", p.Key, p.PolicyRevision, c.Revision).
		WithNext("coord project show")
}

// Rule is binding text of a project, by a name. A changed one keeps its
// earlier revisions.
type Rule struct {
	Project  ProjectKey `json:"project"`
	Name     string     `json:"name"`
	Text     string     `json:"text" doc:"Empty: the rule was withdrawn."`
	Revision int64      `json:"revision"`
	Author   string     `json:"author"`
	Reason   string     `json:"reason"`
	From     LessonID   `json:"from,omitempty" doc:"The proposal that this text was made of."`
	At       time.Time  `json:"at"`
}

// SetRule writes a rule: an operator may, and an agent where the policy says
// so. Revision is the one that the caller read, 0 for a new rule.
type SetRule struct {
	Key      Key        `json:"-"`
	Project  ProjectKey `json:"-"`
	Name     string     `json:"name"`
	Text     string     `json:"text,omitempty"`
	Revision int64      `json:"revision"`
	Reason   string     `json:"reason"`
	From     LessonID   `json:"from,omitempty" doc:"The proposal that becomes this rule."`
}

// Validate checks everything that needs no stored record.
func (c SetRule) Validate() error {
	if c.From != "" && (!c.From.Valid() || c.Text == "") {
		return Errorf(CodeBadRequest, "a rule is made of a proposal, such as L3, and has a text; nothing was changed")
	}
	if !written(c.Name, lower+digits+"-", 1, 64) {
		return Errorf(CodeBadRequest, "a rule's name has 1 to 64 of a-z 0-9 -")
	}
	if err := checkText("rule", c.Text, 0, 8000); err != nil {
		return err
	}
	return checkText("reason", c.Reason, 1, 2000)
}

// CheckSetRule decides whether the role may change a rule.
func (p Policy) CheckSetRule(r Role) error {
	if r == RoleOperator || r == RoleAgent && p.AgentRules {
		return nil
	}
	return Errorf(CodeNotPermitted, "the policy leaves binding rules to operators; nothing was changed").
		WithActor("operator").WithNext("coord ask QUESTION --option YES --option NO --required-actor human")
}

// CheckRevision refuses a change of a rule by a caller who did not read its
// latest text. A rule that was withdrawn may be written anew as if it was
// never there.
func (c SetRule) CheckRevision(latest Rule) error {
	if c.Revision == latest.Revision || c.Revision == 0 && latest.Text == "" {
		return nil
	}
	return Errorf(CodeStateConflict, "the rule %s is at revision %d, not %d; nothing was changed", c.Name, latest.Revision, c.Revision).WithNext("coord rules")
}
