package gitops

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
)

// indexOfPack packs the fixture and gives its one index.
func indexOfPack(t testing.TB, f *fixture, args ...string) string {
	t.Helper()
	f.run(append(args, "repack", "-adfq", "--depth=40", "--window=40")...)
	found, err := filepath.Glob(f.path(".git/objects/pack/*.idx"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	return found[0]
}

func openIndexAt(p string) (*packIndex, error) {
	file, err := osfs.New(filepath.Dir(p)).Open(filepath.Base(p))
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(p)
	if err != nil {
		return nil, err
	}
	return openPackIndex(file, st.Size())
}

// TestPackIndexAgreesWithGit asks for every object of a pack, in each form of
// its index.
func TestPackIndexAgreesWithGit(t *testing.T) {
	for name, set := range map[string]string{"small offsets": "2", "offsets in the second table": "2,0x100"} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.commit("base")
			history(f, 120)
			p := indexOfPack(t, f, "-c", "pack.indexVersion=2")
			if set != "2" {
				data := strings.TrimSuffix(p, ".idx") + ".pack"
				f.run("index-pack", "--index-version="+set, "-o", p+".new", data)
				f.overwrite(p, readFile(t, p+".new"))
			}
			x := must[*packIndex](t)(openIndexAt(p))
			listed := strings.Split(strings.TrimSpace(f.run("-c", "alias.i=!git show-index <\""+p+"\"", "i")), "\n")
			if len(listed) < manyLookups {
				t.Fatalf("only %d objects", len(listed))
			}
			for _, l := range listed {
				field := strings.Fields(l)
				x.begin()
				offset := must[int64](t)(x.FindOffset(plumbing.NewHash(field[1])))
				same(t, field[1], offset, field[0])
			}
			x.known = map[int64]plumbing.Hash{}
			for round := range 2 {
				for _, l := range listed {
					var offset int64
					field := strings.Fields(l)
					for _, c := range field[0] {
						offset = offset*10 + int64(c-'0')
					}
					x.begin()
					h := must[plumbing.Hash](t)(x.FindHash(offset))
					if round == 1 && h.String() != field[1] {
						t.Errorf("at %d lies %s, not %s", offset, field[1], h)
					}
				}
			}
			x.begin()
			if _, err := x.FindOffset(plumbing.NewHash(strings.Repeat("ab", 20))); err != plumbing.ErrObjectNotFound {
				t.Errorf("an object that is not there: %v", err)
			}
		})
	}
}

func readFile(t testing.TB, p string) string {
	t.Helper()
	text, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An index that lies leads to git, never to a wrong object or a crash.
func TestFault86_PackIndexesThatLie(t *testing.T) {
	for name, lie := range map[string]func(text []byte) []byte{
		"version 1":           func(b []byte) []byte { b[7] = 1; return b },
		"fan-out falls":       func(b []byte) []byte { binary.BigEndian.PutUint32(b[8+4*100:], 0); return b },
		"too many objects":    func(b []byte) []byte { binary.BigEndian.PutUint32(b[8+4*255:], 1<<30); return b },
		"short":               func(b []byte) []byte { return b[:1040] },
		"empty":               func([]byte) []byte { return nil },
		"offsets exchanged":   func(b []byte) []byte { return swapOffsets(b) },
		"offsets far away":    func(b []byte) []byte { return setOffsets(b, 0x7ffffff0) },
		"offsets in no table": func(b []byte) []byte { return setOffsets(b, 0xfffffff0) },
		"all at one place":    func(b []byte) []byte { return setOffsets(b, 12) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.commit("base")
			history(f, 20)
			p := indexOfPack(t, f)
			head := OID(f.run("rev-parse", "HEAD"))
			f.overwrite(p, string(lie([]byte(readFile(t, p)))))
			all := engines(f)
			want, wantErr := all["git"].ReadCommit(t.Context(), head)
			got, err := all["go-git"].ReadCommit(t.Context(), head)
			if (err == nil) != (wantErr == nil) {
				t.Errorf("go-git: %v, git: %v", err, wantErr)
			}
			if err == nil && commitsText([]Commit{got}) != commitsText([]Commit{want}) && got.OID == head && name != "offsets exchanged" {
				t.Errorf("go-git reads %v, git %v", got, want)
			}
		})
	}
}

func offsetsOf(b []byte) []byte {
	n := int(binary.BigEndian.Uint32(b[8+4*255:]))
	return b[idxNames+24*n : idxNames+28*n]
}

func setOffsets(b []byte, to uint32) []byte {
	for at := offsetsOf(b); len(at) > 0; at = at[4:] {
		binary.BigEndian.PutUint32(at, to)
	}
	return b
}

func swapOffsets(b []byte) []byte {
	at := offsetsOf(b)
	for i := 0; i+8 <= len(at); i += 8 {
		one := string(at[i : i+4])
		copy(at[i:], at[i+4:i+8])
		copy(at[i+4:], one)
	}
	return b
}

// Deltas that name each other in a circle end the search, not the process.
func TestFault86_DeltasInACircle(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", strings.Repeat("line\n", 300), "b", strings.Repeat("line\n", 300)+"more\n")
	data := strings.TrimSuffix(indexOfPack(t, f, "-c", "repack.useDeltaBaseOffset=false"), ".idx") + ".pack"
	text := []byte(readFile(t, data))
	a, b := f.run("rev-parse", "HEAD:a"), f.run("rev-parse", "HEAD:b")
	f.run("commit-tree", "-m", "x", "HEAD^{tree}")
	// Whichever of the two is a delta now names itself.
	for _, name := range []string{a, b} {
		h := plumbing.NewHash(name)
		other := plumbing.NewHash(map[bool]string{true: b, false: a}[name == a])
		if i := strings.Index(string(text), string(other[:])); i >= 0 {
			copy(text[i:], h[:])
			f.overwrite(data, string(text))
			// Git itself would search until its deadline.
			lost := &repo{git: New([]string{"PATH="}), info: f.open().Info()}
			lost.stored = &inProcess{git: installed{lost}}
			_, err := lost.ReadFile(t.Context(), OID(f.run("rev-parse", "HEAD")), map[bool]string{true: "a", false: "b"}[name == a])
			if err == nil {
				t.Error("an object made of itself was read")
			}
			return
		}
	}
	t.Fatal("no delta names its base")
}
