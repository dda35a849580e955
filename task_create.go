package coord

import (
	"slices"
	"strings"
)

// CreateTask records a task, open for claiming at once unless Planned. The
// kind is code when empty, or general or objective. An unfinished task of the
// same title is CodeStateConflict, naming it, unless SameTitle; a task of the
// same source key is answered as it is.
type CreateTask struct {
	Key          Key        `json:"-"`
	Project      ProjectKey `json:"-"`
	Kind         Kind       `json:"kind,omitempty" enum:"code,general,objective"`
	Title        string     `json:"title"`
	Outcome      string     `json:"outcome,omitempty"`
	Criteria     []string   `json:"criteria,omitempty" maxItems:"50"`
	Priority     Priority   `json:"priority,omitempty" enum:"urgent,high,normal,low"`
	Target       string     `json:"target,omitempty" doc:"Branch to land on; the repository's default when empty."`
	DependsOn    []TaskID   `json:"depends_on,omitempty" maxItems:"100"`
	Parent       TaskID     `json:"parent,omitempty" doc:"The objective that it is part of."`
	Labels       []string   `json:"labels,omitempty" maxItems:"20"`
	Paths        []string   `json:"paths,omitempty" maxItems:"50"`
	Capabilities []string   `json:"capabilities,omitempty" maxItems:"10"`
	SourceKey    string     `json:"source_key,omitempty" doc:"As namespace:key."`
	Planned      bool       `json:"planned,omitempty" doc:"Record without admitting it."`
	SameTitle    bool       `json:"same_title,omitempty" doc:"Create it although an unfinished task has the same title."`
}

// Created answers CreateTask.
type Created struct {
	Task
	Existing bool         `json:"existing,omitempty" doc:"A task of this source key was there already; nothing was created."`
	Similar  []TaskRecall `json:"similar,omitempty" doc:"The closest others, open or recently closed, best first; at most 3."`
}

// TaskRecall is a task as far as a reader needs it to see whether it is the
// same one.
type TaskRecall struct {
	ID     TaskID `json:"id"`
	Title  string `json:"title"`
	Status Status `json:"status"`
}

// Validate checks everything that needs no stored record.
func (c CreateTask) Validate() error {
	if c.Kind != "" && !c.Kind.ByHand() {
		return Errorf(CodeBadRequest, "kind %q is not code, general or objective; review and integration tasks are made by a submission", string(c.Kind))
	}
	if err := checkSubstance(c.Title, c.Outcome, c.Criteria); err != nil {
		return err
	}
	if len(c.DependsOn) > 100 {
		return Errorf(CodeBadRequest, "a task takes at most 100 dependencies")
	}
	if c.Priority != "" && c.Priority.Rank() < 0 {
		return badPriority(c.Priority)
	}
	if err := checkFacets(c.Labels, c.Paths, c.Capabilities); err != nil {
		return err
	}
	if err := checkSourceKey(c.SourceKey); err != nil {
		return err
	}
	if c.Target != "" {
		return CheckBranch(c.Target)
	}
	return nil
}

func badPriority(p Priority) error {
	return Errorf(CodeBadRequest, "priority %q is not urgent, high, normal or low", string(p))
}

// checkSubstance checks what a task's digest is made of.
func checkSubstance(title, outcome string, criteria []string) error {
	if err := checkLine("title", title, 1, 200); err != nil {
		return err
	}
	if err := checkText("outcome", outcome, 0, 16<<10); err != nil {
		return err
	}
	return checkCriteria(criteria)
}

func checkCriteria(criteria []string) error {
	if len(criteria) > 50 {
		return Errorf(CodeBadRequest, "a task takes at most 50 criteria")
	}
	for _, k := range criteria {
		if err := checkLine("criterion", k, 1, 2000); err != nil {
			return err
		}
	}
	return nil
}

// checkFacets checks what a task may be found and chosen by.
func checkFacets(labels, paths, capabilities []string) error {
	if len(labels) > 20 || len(paths) > 50 {
		return Errorf(CodeBadRequest, "a task takes at most 20 labels and 50 paths")
	}
	for _, l := range labels {
		if !IsLabel(l) {
			return Errorf(CodeBadRequest, "label %q is not made of 1 to 64 of a-z 0-9 . _ : / -", l)
		}
	}
	for _, p := range paths {
		if err := checkLine("path", p, 1, 400); err != nil {
			return err
		}
		if strings.HasPrefix(p, "/") || strings.Contains(p, `\`) || slices.Contains(strings.Split(p, "/"), "..") {
			return Errorf(CodeBadRequest, "path %q is not a path below the repository's root, with / between names", p)
		}
	}
	return CheckCapabilities(capabilities)
}

// IsLabel reports whether a task could have such a label.
func IsLabel(s string) bool { return written(s, lower+digits+"._:/-", 1, 64) }

// CheckCapabilities checks the names of what a task needs or a session
// offers.
func CheckCapabilities(capabilities []string) error {
	if len(capabilities) > 32 {
		return Errorf(CodeBadRequest, "at most 32 capabilities can be named")
	}
	for _, c := range capabilities {
		if !written(c, lower+digits+"._:/-", 1, 64) {
			return Errorf(CodeBadRequest, "capability %q is not made of 1 to 64 of a-z 0-9 . _ : / -", c)
		}
	}
	return nil
}

func checkSourceKey(s string) error {
	if s == "" {
		return nil
	}
	namespace, key, ok := strings.Cut(s, ":")
	if !ok || !written(namespace, lower+digits+"-", 1, 32) || key == "" {
		return Errorf(CodeBadRequest, "source key %q is not of the form namespace:key, with a namespace of a-z 0-9 -", s)
	}
	return checkLine("source key", s, 1, 200)
}

// Canonical sorts a set of names and drops what is there twice.
func Canonical(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out)
}
