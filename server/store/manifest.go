package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"coord"
	"coord/files"
)

// Manifest says what a backup is. It lies beside the backup's file, and is
// written last: a file without one is no backup.
type Manifest struct {
	Format int       `json:"format"`
	MadeAt time.Time `json:"made_at"`
	Bytes  int64     `json:"bytes"`
	SHA256 string    `json:"sha256"`
	Contents
}

// Contents is what a database tells of itself.
type Contents struct {
	Schema int64            `json:"schema"`
	Epoch  int64            `json:"epoch"`
	Seq    coord.Seq        `json:"seq"`
	Hash   string           `json:"hash"` // of the last event, which covers all before it
	Rows   map[string]int64 `json:"rows"`
}

func (c Contents) equal(other Contents) bool {
	return c.Schema == other.Schema && c.Epoch == other.Epoch && c.Seq == other.Seq && c.Hash == other.Hash && maps.Equal(c.Rows, other.Rows)
}

const manifestFormat = 1

// manifestPath is where the manifest of a backup's file lies.
func manifestPath(backup string) string { return backup + ".json" }

// ReadManifest reads what lies beside a backup's file. It does not look at the
// file.
func ReadManifest(backup string) (Manifest, error) {
	var m Manifest
	b, err := os.ReadFile(manifestPath(backup))
	if errors.Is(err, fs.ErrNotExist) {
		return m, notABackup("there is no manifest %s beside it: a copy of a database file alone may lack what was written last, or everything", filepath.Base(manifestPath(backup)))
	}
	if err != nil {
		return m, notABackup("its manifest cannot be read: %w", err)
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, notABackup("its manifest is damaged: %w", err)
	}
	if m.Format != manifestFormat {
		return m, notABackup("its manifest has format %d and this program knows %d", m.Format, manifestFormat)
	}
	if m.Schema != schemaVersion {
		return m, notABackup("it has schema %d and this program restores schema %d: restore it with the version of coord that made it, and let a later one migrate it", m.Schema, schemaVersion)
	}
	return m, nil
}

func notABackup(why string, args ...any) *coord.Error {
	return coord.Errorf(coord.CodeSetup, "this is not a backup to restore from: "+why+"; nothing was changed", args...).WithActor("operator")
}

// digestOf copies r to w and returns its length and SHA-256.
func digestOf(w io.Writer, r io.Reader) (int64, string, error) {
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), r)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// publish writes the manifest whole or not at all, and returns when it is on
// disk.
func (m Manifest) publish(backup string) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return files.Replace(manifestPath(backup), append(b, '\n'), 0o600)
}
