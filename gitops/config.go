package gitops

import "strings"

// parseConfig reads the plain part of git-config(1)'s syntax: what git itself
// writes. It reports false for anything else; git must be asked then.
func parseConfig(text string) (settings []setting, plain bool) {
	if !strings.HasSuffix(text, "\n") && text != "" {
		text += "\n"
	}
	section := ""
	for l := range strings.Lines(text) {
		l = strings.Trim(strings.TrimSuffix(l, "\n"), " \t\r")
		switch {
		case strings.HasSuffix(l, `\`) || strings.Contains(l, "\x00"):
			return nil, false
		case l == "" || l[0] == '#' || l[0] == ';':
		case l[0] == '[':
			if section, plain = parseSection(l); !plain {
				return nil, false
			}
		default:
			s, ok := parseSetting(section, l)
			if !ok {
				return nil, false
			}
			settings = append(settings, s)
		}
	}
	return settings, true
}

// parseSection reads [name] or [name "part"] without anything behind it. The
// answer ends with a dot.
func parseSection(l string) (string, bool) {
	inner, ok := strings.CutSuffix(l[1:], "]")
	if !ok {
		return "", false
	}
	name, part, has := strings.Cut(inner, " ")
	if !word(name, "-.") {
		return "", false
	}
	name = strings.ToLower(name) + "."
	if !has {
		return name, true
	}
	part = strings.TrimLeft(part, " \t")
	if len(part) < 2 || part[0] != '"' || part[len(part)-1] != '"' || strings.ContainsAny(part[1:len(part)-1], `"\`) {
		return "", false
	}
	return name + part[1:len(part)-1] + ".", true
}

// parseSetting reads a name, or name = value. A name alone means true. Only
// where it decides anything must the value be free of quotes and comments.
func parseSetting(section, l string) (setting, bool) {
	name, value, has := strings.Cut(l, "=")
	name, value = strings.Trim(name, " \t"), strings.Trim(value, " \t")
	if section == "" || !word(name, "-") {
		return setting{}, false
	}
	if !has {
		value = "true"
	}
	name = section + strings.ToLower(name)
	decides := section == "extensions." || name == "core.bare" || name == "core.worktree" || name == "core.repositoryformatversion"
	plain := strings.Count(value, `"`)%2 == 0 && (!decides || !strings.ContainsAny(value, "\"\\#;"))
	return setting{name, value}, plain
}

// word accepts ASCII letters, digits and the extra characters.
func word(s, extra string) bool {
	for _, c := range []byte(s) {
		if !('a' <= c|0x20 && c|0x20 <= 'z') && !('0' <= c && c <= '9') && strings.IndexByte(extra, c) < 0 {
			return false
		}
	}
	return s != ""
}
