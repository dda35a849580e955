package coord

// ImportState is what three-way comparison found out about one record. Of
// several that fit, a record has the one that asks for most: a moved record
// that also changed is changed, and MovedFrom says where it was.
type ImportState string

// The states of a record in a plan.
const (
	ImportNew             ImportState = "new"               // unknown so far, and not closed
	ImportHistorical      ImportState = "historical"        // unknown so far, and closed
	ImportUnchanged       ImportState = "unchanged"         // source, base and service agree
	ImportChangedInSource ImportState = "changed_in_source" // only the source moved
	ImportChangedHere     ImportState = "changed_here"      // only the service moved
	ImportConverged       ImportState = "converged"         // both moved to the same value
	ImportMerged          ImportState = "merged"            // both moved, in different facets
	ImportConflict        ImportState = "conflict"          // both moved one facet, or the source contradicts itself
	ImportClosedHere      ImportState = "closed_here"       // closed in the service, still open in the source: never reopened
	ImportClosedInSource  ImportState = "closed_in_source"  // the source closed it
	ImportReopenRequested ImportState = "reopen_requested"  // closed on both sides before, open in the source now
	ImportMissing         ImportState = "missing_in_source" // gone from its file; missing never means closed
	ImportMoved           ImportState = "moved"             // says what it said, in another file or section
	ImportRenamed         ImportState = "renamed"           // has its label still, and a title that is much like the old one
	ImportDuplicate       ImportState = "duplicate"         // another record of the same import stands for it
	ImportProbableMatch   ImportState = "probable_match"    // looks like a known record; a person has to say
	ImportStaleSource     ImportState = "stale_source"      // the file is older than what was imported, or diverged from it
	ImportUnreadable      ImportState = "unreadable"        // the file could not be read as Markdown safely
)
