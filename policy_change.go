package coord

import (
	"slices"
	"strconv"
	"strings"
)

// Changes are the fields in which next differs from p, sorted, each as
// "review: agent → both".
func (p Policy) Changes(next Policy) []string {
	was, will := p.Complete().fields(), next.Complete().fields()
	var out []string
	for name := range will {
		if was[name] != will[name] {
			out = append(out, name+": "+was[name]+" → "+will[name])
		}
	}
	slices.Sort(out)
	return out
}

// fields are the values by their names on the wire, as people write them.
func (p Policy) fields() map[string]string {
	return map[string]string{
		"review": string(p.Review), "independence": string(p.Independence), "recovery": string(p.Recovery), "integration": string(p.Integration),
		"strategy": string(p.Strategy),
		"lease":    p.Lease.String(), "recovery_grace": p.RecoveryGrace.String(), "progress_cap": p.ProgressCap.String(), "attempt_cap": p.AttemptCap.String(),
		"held_limit": strconv.Itoa(p.HeldLimit), "finding_limit": strconv.Itoa(p.FindingLimit), "revise_limit": strconv.Itoa(p.ReviseLimit),
		"agent_rules": strconv.FormatBool(p.AgentRules), "timed_answers": strconv.FormatBool(p.TimedAnswers), "operator_resources": strconv.FormatBool(p.OperatorResources),
		"operator_imports": strconv.FormatBool(p.OperatorImports),
	}
}

// With is the policy with one of its fields changed, by its name on the wire
// and the value as people write it.
func (p Policy) With(name, value string) (Policy, error) {
	var err error
	switch name = strings.ReplaceAll(name, "-", "_"); name {
	case "review":
		p.Review = ReviewMode(value)
	case "independence":
		p.Independence = Independence(value)
	case "recovery":
		p.Recovery = RecoveryMode(value)
	case "integration":
		p.Integration = IntegrationMode(value)
	case "strategy":
		p.Strategy = Strategy(value)
	case "lease":
		err = p.Lease.UnmarshalText([]byte(value))
	case "recovery_grace":
		err = p.RecoveryGrace.UnmarshalText([]byte(value))
	case "progress_cap":
		err = p.ProgressCap.UnmarshalText([]byte(value))
	case "attempt_cap":
		err = p.AttemptCap.UnmarshalText([]byte(value))
	case "held_limit":
		p.HeldLimit, err = strconv.Atoi(value)
	case "finding_limit":
		p.FindingLimit, err = strconv.Atoi(value)
	case "revise_limit":
		p.ReviseLimit, err = strconv.Atoi(value)
	default:
		return p.withDelegation(name, value)
	}
	if err != nil {
		return p, Errorf(CodeBadRequest, "%q is no value of %s; nothing was changed", OneLine(value), name)
	}
	return p, p.Validate()
}

// withDelegation changes what agents may do by themselves.
func (p Policy) withDelegation(name, value string) (Policy, error) {
	may, err := strconv.ParseBool(value)
	switch name {
	case "agent_rules":
		p.AgentRules = may
	case "timed_answers":
		p.TimedAnswers = may
	case "operator_resources":
		p.OperatorResources = may
	case "operator_imports":
		p.OperatorImports = may
	default:
		var known []string
		for k := range p.fields() {
			known = append(known, k)
		}
		slices.Sort(known)
		return p, Errorf(CodeBadRequest, "a policy has no %q; it has %s; nothing was changed", OneLine(name), strings.Join(known, ", "))
	}
	if err != nil {
		return p, Errorf(CodeBadRequest, "%q is no value of %s, which is true or false; nothing was changed", OneLine(value), name)
	}
	return p, nil
}

// Lines are all fields as "review=agent", sorted, as people set them.
func (p Policy) Lines() []string {
	var out []string
	for name, value := range p.Complete().fields() {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}
