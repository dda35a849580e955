package coord

import (
	"slices"
	"time"
)

// SourceRole says what a Markdown file is, which decides what its items
// become. A file's own content never changes its role.
type SourceRole string

// The roles.
const (
	AsBacklog      SourceRole = "backlog"      // its items are tasks
	AsHandoff      SourceRole = "handoff"      // its sections are handoff notes, its next steps planned tasks
	AsRecord       SourceRole = "record"       // its items are lessons
	AsMemory       SourceRole = "memory"       // one fact or lesson per file, or the index of such files
	AsArchive      SourceRole = "archive"      // history only: its items are closed, whatever they say
	AsInstructions SourceRole = "instructions" // for agents to read; nothing in it becomes a record
	AsBeads        SourceRole = "beads"        // a JSON Lines export of bd: its issues are tasks
	AsBacklogMD    SourceRole = "backlog-md"   // one task per file, as Backlog.md keeps them
	AsTaskMaster   SourceRole = "task-master"  // the tasks.json of Task Master
)

// SourceRoles lists every role, those of Markdown first.
var SourceRoles = []SourceRole{AsBacklog, AsHandoff, AsRecord, AsMemory, AsArchive, AsInstructions, AsBeads, AsBacklogMD, AsTaskMaster}

// SourceOrder says how a version of a file stands to the one that was imported
// last. Only a client can tell, from the history of its clone.
type SourceOrder string

// The orders.
const (
	OrderUnknown  SourceOrder = ""         // not compared: there is no history, or nothing was imported
	OrderNewer    SourceOrder = "newer"    // the last imported version, or one that contains it
	OrderOlder    SourceOrder = "older"    // the last imported version contains it
	OrderDiverged SourceOrder = "diverged" // neither contains the other
)

// SourceFile is one file as the caller read it. The server opens no path: the
// bytes come with the request and are kept as they are.
type SourceFile struct {
	Path     string      `json:"path" doc:"Path inside the repository, with forward slashes."`
	As       SourceRole  `json:"as" enum:"backlog,handoff,record,memory,archive,instructions,beads,backlog-md,task-master"`
	Content  []byte      `json:"content,omitempty" doc:"The exact bytes, base64 in JSON; absent for an empty file."`
	Revision string      `json:"revision,omitempty" doc:"Commit that the bytes were read from, or that the work tree stands on."`
	Order    SourceOrder `json:"order,omitempty" enum:"newer,older,diverged" doc:"How the bytes stand to the version that was imported last."`
	At       time.Time   `json:"at,omitzero" doc:"When these bytes were committed, or last written in a work tree."`
}

func (f SourceFile) validate() error {
	if err := checkText("path", f.Path, 1, 1024); err != nil {
		return err
	}
	if !slices.Contains(SourceRoles, f.As) {
		return Errorf(CodeBadRequest, "%s cannot be imported as %q, which is no role of a file; nothing was read", f.Path, string(f.As)).WithNext("coord import --help")
	}
	switch f.Order {
	case OrderUnknown, OrderNewer, OrderOlder, OrderDiverged:
	default:
		return Errorf(CodeBadRequest, "%q is no order of %s; nothing was read", string(f.Order), f.Path)
	}
	if f.Revision != "" && !OID(f.Revision).Valid() {
		return Errorf(CodeBadRequest, "the revision of %s is not a full Git object id", f.Path)
	}
	return nil
}
