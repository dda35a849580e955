package coord

import "time"

// ImportProblem is something that sources say and that cannot be true, or that
// leads nowhere. It changes nothing; it is kept, with every side, until an
// import of the same files finds it no more.
type ImportProblem struct {
	Kind  ProblemKind  `json:"kind"`
	Text  string       `json:"text"`
	Sides []ImportSide `json:"sides"` // at least one
}

// ProblemKind says what is wrong.
type ProblemKind string

// The kinds of problem.
const (
	ProblemLink          ProblemKind = "unresolved_link"       // it leads to nothing among the files
	ProblemAmbiguous     ProblemKind = "ambiguous_link"        // it may lead to several
	ProblemIndex         ProblemKind = "broken_index"          // an index of memory files and the files disagree
	ProblemContradiction ProblemKind = "contradiction"         // two places say what cannot both be true
	ProblemLabel         ProblemKind = "label_reused"          // one label, two different things
	ProblemDependency    ProblemKind = "unresolved_dependency" // what something waits for is not there, or is several things
	ProblemCycle         ProblemKind = "dependency_cycle"
	ProblemChildren      ProblemKind = "open_children" // closed, and parts of it are open
	ProblemMarker        ProblemKind = "marker"        // a marker that is foreign, or stands in two places
)

// ImportSide is one place that a problem is about.
type ImportSide struct {
	Path     string    `json:"path"`
	Line     int       `json:"line,omitempty"`
	Says     string    `json:"says"`
	Revision string    `json:"revision,omitempty"`
	At       time.Time `json:"at,omitzero"`
}

// Sources are the Markdown files of a project as they were imported last, by
// path, and what is wrong in them.
type Sources struct {
	Project  ProjectKey      `json:"project"`
	AsOf     Seq             `json:"as_of"`
	Files    []ImportedFile  `json:"files"`
	Problems []ImportProblem `json:"problems"`
	More     int             `json:"more,omitempty" doc:"Problems that are not listed: there are very many."`
}
