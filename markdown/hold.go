package markdown

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// holdWords are phrases that say, anywhere in a text, that somebody must decide
// or that something else comes first. They are too weak for a status; a task
// with one of them is not ready.
var holdWords = pattern(`\b(?:` +
	`needs? (?:\w+ ){0,4}(?:decision|approval|permission|sign ?off|discussion|clarification|confirmation|grilling|before implement\w+)` +
	`|(?:decide|decision on|agree on) (?:whether|if)` +
	`|to be (?:decided|confirmed|discussed|agreed|clarified)|tbd|to confirm` +
	`|(?:still|rerun|remains?|remaining) pending` +
	`|blocked (?:by|on|until)|waits? for|waiting (?:for|on)|do not start|not before|only (?:after|once|when \w+ (?:is|are|has|have))` +
	`|requires (?:\w+ ){1,8}first` +
	`|sobald|erst (?:nach|wenn)|zu klären|zu entscheiden|por decidir|à décider|à confirmer` +
	`)\b|нужно решить|после того как|待确认|待確認|需要决定|有待决定|要確認|要検討|결정 필요|확인 필요`)

// laterWords say in a task's own text that it comes after something else. In a
// description of how something behaves they mean nothing.
var laterWords = pattern(`\b(?:` +
	`once (?:\w+ ){1,6}(?:is|are|has|have|lands?|landed|merges?|merged|exists?|ships?|shipped)` +
	`|when (?:\w+ ){1,4}(?:adds?|lands?|ships?|publish(?:es)?|becomes?|exists?)` +
	`|after (?:\w+ ){0,3}(?:lands?|landing|landed|merges?|merged|ships?|shipped|commissioning|release[ds]?|sign ?off|launch|go live|cutover)` +
	`|after (?:the )?first|when ready|next time|then re ?(?:analy[sz]e|evaluate|assess|visit)` +
	`)\b|^consider \w+|بعد الإطلاق|下次|次回`)

// remarks are looked for in normalised text. Most texts in ASCII have none of
// the words that one begins with, and are spared the search.
type remarks struct {
	all   func() *regexp.Regexp
	begin map[string][]string // words that a phrase in ASCII begins with: what may follow, any for none
}

var (
	hold = remarks{holdWords, map[string][]string{
		"need": nil, "needs": nil, "decide": {"whether", "if"}, "decision": {"on"}, "agree": {"on"}, "to": {"be", "confirm"}, "tbd": nil,
		"still": {"pending"}, "rerun": {"pending"}, "remain": {"pending"}, "remains": {"pending"}, "remaining": {"pending"},
		"blocked": {"by", "on", "until"}, "wait": {"for"}, "waits": {"for"}, "waiting": {"for", "on"}, "do": {"not"}, "not": {"before"},
		"only": {"after", "once", "when"}, "requires": nil, "sobald": nil, "erst": nil, "zu": nil, "por": {"decidir"},
	}}
	later = remarks{laterWords, map[string][]string{"once": nil, "when": nil, "after": nil, "next": {"time"}, "then": {"re"}, "consider": nil}}
)

func (p remarks) in(text string) bool { return p.mayBeIn(text) && matches(p.all, text) }

func (p remarks) mayBeIn(text string) bool {
	for rest := text; rest != ""; {
		word, behind, _ := strings.Cut(rest, " ")
		next, begins := p.begin[word]
		for _, n := range next {
			if begins = strings.HasPrefix(behind, n); begins {
				break
			}
		}
		if begins || !ascii(word) {
			return true
		}
		rest = behind
	}
	return false
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// progressNote is a remark in italics and brackets at the end of a task: what
// became of it so far.
var progressNote = pattern(`[_*]\([^()]{8,}(?:\([^()]*\)[^()]*)*\)[_*]\s*$`)

// heldBack reports that a task's own text or what it says below it holds it
// back, or that the text ends with a note on how far it is.
func heldBack(own, body string) bool {
	text := spaced(own)
	return hold.in(text) || later.in(text) || endsInNote(own) || hold.in(spaced(body))
}

func endsInNote(own string) bool {
	end := strings.TrimSpace(own)
	return (strings.HasSuffix(end, ")_") || strings.HasSuffix(end, ")*")) && matches(progressNote, own)
}

// spaced is normalised text, as far as it is looked at.
func spaced(s string) string { return normal(s[:runeStart(s, 8192)]) }

// ofChecks reports a title that calls what is below it a list of checks, in
// languages that write it in one with other words.
func ofChecks(title string) bool {
	name := sectionTitle(title)
	for _, end := range []string{"检查清单", "检查表", "檢查清單", "チェックリスト", "체크리스트", "prüfliste", "checkliste"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// preamble is what stands between a heading and the first item or heading below
// it.
func (x *extraction) preamble(i int) string {
	var lines []string
	for j := i + 1; j < len(x.blocks) && j < i+maxFieldBlocks; j++ {
		b := x.blocks[j]
		if b.kind == KindItem || b.kind == KindHeading {
			break
		}
		if b.kind == KindText && x.grids[j] == nil || b.kind == KindQuote {
			for n := b.first; n <= b.last; n++ {
				lines = append(lines, x.line(n))
			}
		}
	}
	return strings.Join(lines, "\n")
}

var (
	stepTitle = pattern(`^(?i:step|schritt|étape|paso|шаг) \d+\b|^(?i:pass(?: criteria)?):|^(?:步骤|步驟|手順|ステップ|단계) ?\d+`)
	taskTitle = pattern(`^(?i:task|issue|ticket|story|bug|aufgabe|tâche|tarea|задача) #?\d+[a-z]?[:.](?:\s|$)|^(?:任务|任務|タスク|課題|작업) ?\d+[:：.]`)
)

// isStep reports a step of a larger task, such as "Step 3: run it", or what says
// that one is passed.
func isStep(title string) bool {
	title = strings.TrimLeft(title, " *_")
	return title != "" && (title[0] >= utf8.RuneSelf || strings.IndexByte("sSpP", title[0]) >= 0) && matches(stepTitle, title)
}
