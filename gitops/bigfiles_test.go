package gitops

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hole makes a big file that takes no room on the disk.
func (f *fixture) hole(tb testing.TB, name string, size int64, at time.Time) {
	tb.Helper()
	file, err := os.Create(f.path(name))
	if err == nil {
		err = file.Truncate(size)
	}
	if err == nil {
		err = file.Close()
	}
	if err == nil {
		err = os.Chtimes(f.path(name), at, at)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

var longAgo = time.Unix(1600000000, 0)

// keptObjects gives the objects that are kept between snapshots, after making
// them old: Git renews the time of one that it makes again.
func (f *fixture) keptObjects() []string {
	f.t.Helper()
	b := bigFiles{filepath.Join(f.path(".git"), "coord", keptName)}
	names := looseObjects(b.objects())
	for _, name := range names {
		f.touchAt(loose(b.objects(), name), longAgo)
	}
	return names
}

func (f *fixture) madeAgain(name string) bool {
	f.t.Helper()
	b := bigFiles{filepath.Join(f.path(".git"), "coord", keptName)}
	st, err := os.Stat(loose(b.objects(), name))
	return err != nil || !st.ModTime().Equal(longAgo)
}

func TestV3_BigUntrackedFilesAreReadOnce(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "1")
	f.hole(t, "big", 8<<20, longAgo)
	r := f.open()
	first := must[OID](t)(r.Snapshot(t.Context()))
	kept := f.keptObjects()
	if len(kept) != 1 {
		t.Fatalf("kept are %v", kept)
	}
	f.write("a", "2")
	f.write("small", "x")
	second := must[OID](t)(r.Snapshot(t.Context()))
	if second == first || f.madeAgain(kept[0]) {
		t.Error("the big file was read again, or the change was missed")
	}
	f.write("b", "1")
	f.run("add", "b")
	f.run("commit", "-qm", "the index moves on")
	f.run("rm", "-q", "--cached", "a")
	must[OID](t)(r.Snapshot(t.Context()))
	f.keptObjects()
	f.touch("big", longAgo.Add(time.Hour))
	must[OID](t)(r.Snapshot(t.Context()))
	if !f.madeAgain(kept[0]) {
		t.Error("a file with another time was not looked at")
	}
	tree := must[OID](t)(r.KeepSnapshot(t.Context()))
	f.run("fsck", "--no-dangling", string(tree))
	f.run("cat-file", "-e", kept[0])
	f.remove("big")
	must[OID](t)(r.Snapshot(t.Context()))
	if left := f.keptObjects(); len(left) > 0 {
		t.Errorf("%v are kept for no file", left)
	}
}

// A repository that has lost what the private index speaks of is read anew.
func TestV3_LostBigObjectsAreMadeAgain(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "1")
	f.hole(t, "big", 2<<20, longAgo)
	r := f.open()
	tree := must[OID](t)(r.Snapshot(t.Context()))
	for _, name := range f.keptObjects() {
		f.removeAll(loose(filepath.Join(f.path(".git"), "coord", keptName, "objects"), name))
	}
	same(t, "kept", must[OID](t)(r.KeepSnapshot(t.Context())), tree)
	f.run("fsck", "--no-dangling", string(tree))
	f.writeAt(filepath.Join(f.path(".git"), "coord", keptName, "index"), "DIRC\x00\x00\x00\x02\xff\xff\xff\xff nonsense of some length")
	same(t, "with a damaged index", must[OID](t)(r.Snapshot(t.Context())), tree)
}

// parseIndex and formatIndex agree with git about indexes of every version.
func TestIndexFile(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		f := newFixture(t)
		f.commit("base", "a", "1", "dir/b", "2", "dir/bc", "3", strings.Repeat("long/", 20)+"x", "4")
		f.write("later", "x")
		f.run("update-index", "--index-version="+version)
		f.run("add", "-N", "later")
		f.run("update-index", "--skip-worktree", "a")
		conflict := "100644 " + f.run("hash-object", "-w", "a")
		f.run("-c", "alias.i=!printf '"+conflict+" 1\\tc\\n"+conflict+" 3\\tc\\n' | git update-index --index-info", "i")
		want := f.run("ls-files", "--stage", "--debug", "-v")
		data, err := os.ReadFile(f.path(".git/index"))
		if err != nil {
			t.Fatal(err)
		}
		if got := binary.BigEndian.Uint32(data[4:]); got < 2 || got > 4 {
			t.Fatalf("the index has version %d", got)
		}
		entries := must[[]indexEntry](t)(parseIndex(data))
		f.overwrite(f.path(".git/index"), string(formatIndex(entries)))
		same(t, "version "+version, f.run("ls-files", "--stage", "--debug", "-v"), want)
		f.run("fsck")
	}
}

func FuzzParseIndex(f *testing.F) {
	f.Add(formatIndex([]indexEntry{{path: "a"}, {path: "b/c"}}))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseIndex(data)
		if err != nil {
			return
		}
		again, err := parseIndex(formatIndex(entries))
		if err != nil || len(again) != len(entries) {
			t.Errorf("%d entries became %d: %v", len(entries), len(again), err)
		}
	})
}

// BenchmarkSnapshotOfABigFile has an untracked file of 300 MB: what the first
// snapshot costs, and the next ones, against git's own add of it.
func BenchmarkSnapshotOfABigFile(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		f := newFixture(b)
		f.commit("base", "a", "1")
		f.hole(b, "big", 300<<20, longAgo)
		r := f.open()
		timed := func(do func()) float64 {
			start := time.Now()
			do()
			return time.Since(start).Seconds()
		}
		snapshot := func() { must[OID](b)(r.Snapshot(b.Context())) }
		b.StartTimer()
		first := timed(snapshot)
		next := timed(snapshot)
		b.StopTimer()
		b.ReportMetric(first, "first-s")
		b.ReportMetric(next, "next-s")
		b.ReportMetric(timed(func() { f.run("add", "big") }), "git-add-s")
		b.StartTimer()
	}
}
