package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"coord"
	"coord/gitops"
)

// configName is the committed file that says which server and project a
// repository belongs to. It holds no secrets.
const configName = ".coord.toml"

// defaultTimeout bounds a check that states no timeout.
const defaultTimeout = 15 * time.Minute

// defaultSaveEvery is how often work is saved that the agent has not saved.
const defaultSaveEvery = 15 * time.Minute

// Config is what .coord.toml says.
type Config struct {
	Path         string // where it was read from; empty for a blob
	Server       string
	Project      coord.ProjectKey
	RefNamespace string
	WorktreesDir string        // as written; empty for the default
	SaveEvery    time.Duration // how often the keeper looks for work to save; 0 is never
	Checks       []coord.Check
	Imports      []ImportSource
	Templates    string // directory of the export's templates, from the file's own; empty for none
}

// ImportSource is what import reads by default: a file, the files of a
// directory, or those that fit a pattern.
type ImportSource struct {
	Path string           // clean, with forward slashes
	As   coord.SourceRole // empty where each file's name says what it is
}

// configFile is the form of the file.
type configFile struct {
	Server       string `toml:"server"`
	Project      string `toml:"project"`
	RefNamespace string `toml:"ref_namespace"`
	Worktrees    struct {
		Dir string `toml:"dir"`
	} `toml:"worktrees"`
	Checkpoints struct {
		Every *coord.Duration `toml:"every"`
	} `toml:"checkpoints"`
	Export struct {
		Templates string `toml:"templates"`
	} `toml:"export"`
	Check  []configCheck `toml:"check"`
	Import []struct {
		Path string `toml:"path"`
		As   string `toml:"as"`
	} `toml:"import"`
}

type configCheck struct {
	Name        string         `toml:"name"`
	Run         command        `toml:"run"`
	Timeout     coord.Duration `toml:"timeout"`
	SkipStatus  int            `toml:"skip_status"`
	Fingerprint string         `toml:"fingerprint"`
}

// command is a string for a shell, or an array to run as it is.
type command struct {
	shell string
	argv  []string
}

// UnmarshalTOML implements toml.Unmarshaler.
func (c *command) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case string:
		c.shell = v
		return nil
	case []any:
		for _, part := range v {
			s, ok := part.(string)
			if !ok {
				return errors.New("run takes a string, or an array of strings")
			}
			c.argv = append(c.argv, s)
		}
		return nil
	}
	return errors.New("run takes a string, or an array of strings")
}

// loadConfig reads the nearest .coord.toml from dir upward, not above root.
// Without one it returns the zero Config.
func loadConfig(dir, root string) (Config, error) {
	for {
		path := filepath.Join(dir, configName)
		text, err := os.ReadFile(path)
		if err == nil {
			c, err := ParseConfig(path, text)
			c.Path = path
			return c, err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Config{}, coord.Errorf(coord.CodeSetup, "%s cannot be read: %w", path, err)
		}
		if dir == root || dir == filepath.Dir(dir) {
			return Config{SaveEvery: defaultSaveEvery}, nil
		}
		dir = filepath.Dir(dir)
	}
}

// ParseConfig reads the text of a .coord.toml. Errors have code setup and
// begin with name:line.
func ParseConfig(name string, text []byte) (Config, error) {
	var f configFile
	md, err := toml.Decode(string(text), &f)
	if err != nil {
		line, what := tomlError(err)
		return Config{}, badConfig(name, line, what)
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		key := unknown[0]
		return Config{}, badConfig(name, lineOf(text, key[len(key)-1], 1), fmt.Sprintf("unknown key %q", key.String()))
	}
	c := Config{
		Server: f.Server, Project: coord.ProjectKey(f.Project),
		RefNamespace: f.RefNamespace, WorktreesDir: f.Worktrees.Dir, SaveEvery: defaultSaveEvery, Templates: f.Export.Templates,
	}
	if every := f.Checkpoints.Every; every != nil {
		c.SaveEvery = time.Duration(*every)
	}
	if c.SaveEvery != 0 && c.SaveEvery < time.Second {
		return Config{}, badConfig(name, lineOf(text, "every", 1), "checkpoints are made every 1s or more rarely; 0s is never")
	}
	if f.Project != "" {
		if err := c.Project.Validate(); err != nil {
			return Config{}, badConfig(name, lineOf(text, "project", 1), err.Error())
		}
	}
	if f.RefNamespace != "" && !isRefNamespace(f.RefNamespace) {
		return Config{}, badConfig(name, lineOf(text, "ref_namespace", 1), fmt.Sprintf("ref_namespace %q is not a place for references such as refs/coord or refs/heads/coord", f.RefNamespace))
	}
	if c.Checks, err = f.checks(name, text); err != nil {
		return Config{}, err
	}
	c.Imports, err = f.imports(name, text)
	return c, err
}

func (f configFile) checks(name string, text []byte) ([]coord.Check, error) {
	var all []coord.Check
	seen := map[string]bool{}
	for i, k := range f.Check {
		bad := ""
		switch {
		case !isCheckName(k.Name):
			bad = "a check needs a name of up to 80 letters, digits, dots, dashes or underscores"
		case seen[k.Name]:
			bad = fmt.Sprintf("check %q is defined twice", k.Name)
		case strings.TrimSpace(k.Run.shell) == "" && (len(k.Run.argv) == 0 || k.Run.argv[0] == ""):
			bad = fmt.Sprintf("check %q has nothing to run", k.Name)
		case k.Timeout < 0:
			bad = fmt.Sprintf("check %q has a negative timeout", k.Name)
		case k.SkipStatus < 0 || k.SkipStatus > 255:
			bad = fmt.Sprintf("check %q has a skip_status that is not 1 to 255", k.Name)
		case len(k.Fingerprint) > 1000:
			bad = fmt.Sprintf("check %q has a fingerprint of more than 1000 bytes", k.Name)
		}
		if bad != "" {
			return nil, badConfig(name, lineOf(text, "check", i+1), bad)
		}
		seen[k.Name] = true
		if k.Timeout == 0 {
			k.Timeout = coord.Duration(defaultTimeout)
		}
		all = append(all, coord.Check{Name: k.Name, Shell: k.Run.shell, Argv: k.Run.argv, Timeout: k.Timeout, SkipStatus: k.SkipStatus, Fingerprint: k.Fingerprint})
	}
	return all, nil
}

// isRefNamespace accepts what coord's references can stand below, apart from
// everybody else's: refs/NAME, or a name of its own below one of Git's.
func isRefNamespace(s string) bool {
	switch s {
	case "refs/heads", "refs/tags", "refs/remotes", "refs/notes":
		return false
	}
	return gitops.CheckRefName(s+"/attempts") == nil
}

// isCheckName accepts up to 80 letters, digits, dots, dashes and underscores,
// the first a letter or digit.
func isCheckName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return s != "" && len(s) <= 80 && strings.Trim(s, letters+"._-") == "" && strings.Contains(letters, s[:1])
}

func (f configFile) imports(name string, text []byte) ([]ImportSource, error) {
	var all []ImportSource
	for i, m := range f.Import {
		bad := ""
		role := coord.SourceRole(m.As)
		if role == "" && !isGlob(m.Path) {
			role, _ = usualRole(path.Clean(m.Path))
		}
		switch {
		case m.Path == "" || path.IsAbs(m.Path) || path.Clean(m.Path) == ".." || strings.HasPrefix(path.Clean(m.Path), "../"):
			bad = "an import needs the path of a file or directory in the repository, or a pattern"
		case badGlob(m.Path):
			bad = fmt.Sprintf("%q is no pattern: a [ is not closed", m.Path)
		case role != "" && !slices.Contains(coord.SourceRoles, role):
			bad = "an import needs as = " + quotedRoles()
		case role == "" && !isGlob(m.Path) && path.Ext(m.Path) != "":
			bad = fmt.Sprintf("an import needs as = %s, since %q does not say what it is", quotedRoles(), m.Path)
		}
		if bad != "" {
			return nil, badConfig(name, lineOf(text, "import", i+1), bad)
		}
		all = append(all, ImportSource{Path: path.Clean(m.Path), As: role})
	}
	return all, nil
}

// quotedRoles are the roles as the file has them.
func quotedRoles() string {
	var all []string
	for _, r := range coord.SourceRoles {
		all = append(all, strconv.Quote(string(r)))
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// tomlPlace is how the decoder words a place; it has no other form for
// mistyped values.
const tomlPlace = `^toml: (?:line (\d+) )?(?:\(last key "([^"]*)"\): |: )?(.*)$`

func tomlError(err error) (line int, what string) {
	var p toml.ParseError
	if errors.As(err, &p) {
		return p.Position.Line, p.Message
	}
	m := regexp.MustCompile(tomlPlace).FindStringSubmatch(err.Error())
	if m == nil {
		return 0, err.Error()
	}
	line, _ = strconv.Atoi(m[1])
	if m[2] != "" {
		return line, m[2] + ": " + m[3]
	}
	return line, m[3]
}

// lineOf finds the nth place where the key or table is written, 0 when it is
// written in a form that this does not know.
func lineOf(text []byte, key string, nth int) int {
	place := regexp.MustCompile(`^\s*(\[\[?\s*)?([\w"'.-]+\.)?["']?` + regexp.QuoteMeta(key) + `["']?\s*(=|\])`)
	for i, l := range strings.Split(string(text), "\n") {
		if place.MatchString(l) {
			if nth--; nth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

func badConfig(name string, line int, what string) *coord.Error {
	at := name
	if line > 0 {
		at = fmt.Sprintf("%s:%d", name, line)
	}
	return coord.Errorf(coord.CodeSetup, "%s: %s; nothing was done", at, coord.OneLine(what)).WithNext("edit " + name)
}
