package coord

import "time"

// ImportRequest asks for a plan. Admit makes plainly open backlog items ready
// instead of planned; it never admits an item that anything calls closed,
// blocked, parked or unclear. Paths are the files that the repository has: they
// decide only whether a link leads somewhere. Without them a link that leaves
// the files is not checked.
type ImportRequest struct {
	Project ProjectKey   `json:"-"`
	Files   []SourceFile `json:"files" minItems:"1" maxItems:"2000"`
	Admit   bool         `json:"admit,omitempty"`
	Paths   []string     `json:"paths,omitempty" maxItems:"50000" doc:"Paths of the repository's files, for links only; at most 1 MiB in all."`
}

// ApplyImport executes a plan: the same files and wish again, with the AsOf
// and Digest of the plan that was previewed. The files are planned anew
// against what is stored now, with that AsOf; another digest means that
// something the plan rests on has changed (CodePlanStale, nothing applied). A
// large plan is applied in several transactions: one that was begun and not
// finished is gone on with by whoever applies it again, under any key.
type ApplyImport struct {
	Key     Key          `json:"-"`
	Project ProjectKey   `json:"-"`
	Files   []SourceFile `json:"files" minItems:"1" maxItems:"2000"`
	Admit   bool         `json:"admit,omitempty"`
	Paths   []string     `json:"paths,omitempty" maxItems:"50000"`
	AsOf    Seq          `json:"as_of"`
	Digest  string       `json:"digest"`
}

// Validate checks everything that needs no stored record.
func (r ImportRequest) Validate() error {
	if err := r.Project.Validate(); err != nil {
		return err
	}
	if len(r.Files) == 0 || len(r.Files) > MaxImportFiles {
		return Errorf(CodeBadRequest, "an import takes 1 to %d files, not %d; nothing was read", MaxImportFiles, len(r.Files))
	}
	seen := make(map[string]bool, len(r.Files))
	for _, f := range r.Files {
		if err := f.validate(); err != nil {
			return err
		}
		if seen[f.Path] {
			return Errorf(CodeBadRequest, "%s is given twice; nothing was read", f.Path)
		}
		seen[f.Path] = true
	}
	return checkPaths(r.Paths)
}

func checkPaths(paths []string) error {
	size := 0
	for _, p := range paths {
		size += len(p)
	}
	if len(paths) > MaxImportPaths || size > MaxImportPathBytes {
		return Errorf(CodeBadRequest, "the repository's list of files has %d entries and %d bytes; at most %d and %d are taken; nothing was read", len(paths), size, MaxImportPaths, MaxImportPathBytes)
	}
	return nil
}

// Request is the plan request that c repeats.
func (c ApplyImport) Request() ImportRequest {
	return ImportRequest{Project: c.Project, Files: c.Files, Admit: c.Admit, Paths: c.Paths}
}

// Validate checks everything that needs no stored record.
func (c ApplyImport) Validate() error {
	if err := checkText("plan digest", c.Digest, 1, 64); err != nil {
		return err
	}
	return c.Request().Validate()
}

// What one import takes at most.
const (
	MaxImportFiles     = 2_000
	MaxImportPaths     = 50_000
	MaxImportPathBytes = 1 << 20 // of all paths together
)

// ImportAction is what applying a change does.
type ImportAction string

// The actions. Whatever the action, a change's Anchor is stored with it, if it
// has one.
const (
	ActionNone          ImportAction = "none"
	ActionCreateTask    ImportAction = "create_task"    // Title, Body (its outcome), Criteria, Priority, Lifecycle, After, AfterKeys
	ActionUpdateTask    ImportAction = "update_task"    // Task; the facets named in Facets
	ActionCloseTask     ImportAction = "close_task"     // Task; Lifecycle; and the facets named in Facets
	ActionCreateLesson  ImportAction = "create_lesson"  // Body (its whole text), LessonKind, Tags, Scope, Reopen
	ActionUpdateLesson  ImportAction = "update_lesson"  // Lesson; the facets named in Facets, or Body if there are none
	ActionRecordHandoff ImportAction = "record_handoff" // Title, Body, Last, Handoff: kept as dated history beside Anchor.Handoff
)

// Facets that are no text: FacetLifecycle among an update's Facets admits a
// planned task, FacetAfter changes what it waits for.
const (
	FacetLifecycle = "lifecycle"
	FacetAfter     = "after"
)

// Facets of a lesson besides its text, which is its body.
const (
	FacetKind   = "kind"
	FacetTags   = "tags"
	FacetScope  = "scope"
	FacetReopen = "reopen"
)

// ImportChange is one record of a plan. Applying a plan removes the anchors
// named by all Replaces before it stores any Anchor: two records may have
// changed places. A plan without actions and anchors leaves nothing to store
// but the files. Needs says why an operator has to look: a change with Needs
// is applied only by an operator, and if its Action is none it is a question
// that stays open.
type ImportChange struct {
	State     ImportState  `json:"state"`
	Action    ImportAction `json:"action"`
	Kind      RecordKind   `json:"kind,omitempty"`
	Key       string       `json:"key,omitempty"`
	Path      string       `json:"path"`
	Line      int          `json:"line,omitempty"` // from 1; 0 when the record is not in the file
	Title     string       `json:"title"`
	Body      string       `json:"body,omitempty"`
	Criteria  []string     `json:"criteria,omitempty"`
	Priority  Priority     `json:"priority,omitempty"`
	Lifecycle Lifecycle    `json:"lifecycle,omitempty"`
	Facets    []string     `json:"facets,omitempty"`     // of title, body, criteria, priority, lifecycle, after, kind, tags, scope, reopen: what an update sets
	After     []TaskID     `json:"after,omitempty"`      // tasks that it waits for from now on
	AfterKeys []string     `json:"after_keys,omitempty"` // the same for records of this plan that become tasks, by their Key
	NotAfter  []TaskID     `json:"not_after,omitempty"`  // tasks that it does not wait for any more
	Task      TaskID       `json:"task,omitempty"`
	Revision  int64        `json:"revision,omitempty"` // of the task as it was when this was planned; of a lesson ImportLesson.Edited
	From      Lifecycle    `json:"from,omitempty"`     // the same, of a task
	Lesson    LessonID     `json:"lesson,omitempty"`

	LessonKind LessonKind  `json:"lesson_kind,omitempty"` // of a lesson, as Tags, Scope and Reopen
	Tags       []string    `json:"tags,omitempty"`
	Scope      LessonScope `json:"scope,omitzero"`
	Reopen     string      `json:"reopen,omitempty"`

	Last    int          `json:"last,omitempty"`   // of a handoff note: its last line
	Handoff HandoffFacts `json:"handoff,omitzero"` // what a handoff note says of itself

	Was       string        `json:"was,omitempty"`        // the service's value, where it differs from the source's
	MovedFrom string        `json:"moved_from,omitempty"` // path of the file the record was in before, with the section if only that changed
	Needs     string        `json:"needs,omitempty"`
	Replaces  string        `json:"replaces,omitempty"` // key of the anchor that Anchor takes the place of
	Anchor    *ImportAnchor `json:"anchor,omitempty"`   // to store under Key; nil leaves the stored one alone
}

// ImportFile is a file of a plan: what was read, and how much was found. State
// is ImportStaleSource or ImportUnreadable for a file of which nothing is
// applied; it does not count as imported.
type ImportFile struct {
	Path     string      `json:"path"`
	As       SourceRole  `json:"as"`
	Digest   string      `json:"digest"` // SHA-256 of the exact bytes, in hex
	Revision string      `json:"revision,omitempty"`
	At       time.Time   `json:"at,omitzero"` // as SourceFile.At
	State    ImportState `json:"state,omitempty"`
	Lines    int         `json:"lines"`
	Records  int         `json:"records"`
}

// ImportDiagnostic is something the reader passed over or could not settle.
// Count is how often it occurs in the file, Line the first place.
type ImportDiagnostic struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code"`
	Count   int    `json:"count"`
	Message string `json:"message"`
}

// ImportPlan is what an import would do. Preview prints it and apply executes
// exactly it: Digest binds it to its content, AsOf to the state it saw.
type ImportPlan struct {
	Digest      string              `json:"digest"`
	Project     ProjectKey          `json:"project"`
	AsOf        Seq                 `json:"as_of"`
	Admit       bool                `json:"admit,omitempty"`
	Files       []ImportFile        `json:"files"`
	Changes     []ImportChange      `json:"changes"`
	Counts      map[ImportState]int `json:"counts"`
	Problems    []ImportProblem     `json:"problems,omitempty"`
	Diagnostics []ImportDiagnostic  `json:"diagnostics,omitempty"`
}

// Planner makes a plan from a view of the service and the files of one
// import. It is a pure function: same arguments, same plan and digest.
type Planner func(base ImportBase, files []SourceFile) (ImportPlan, error)

// Actions counts the changes that would do something; an import that plans
// nothing has none.
func (p ImportPlan) Actions() int {
	n := 0
	for _, c := range p.Changes {
		if c.Action != ActionNone {
			n++
		}
	}
	return n
}

// Sealed returns the plan with its counts and digest computed: SHA-256 in hex
// over the JSON of the plan without the digest.
func (p ImportPlan) Sealed() ImportPlan {
	p.Counts = make(map[ImportState]int)
	for _, c := range p.Changes {
		p.Counts[c.State]++
	}
	p.Digest = ""
	p.Digest = digestOf(p)
	return p
}
