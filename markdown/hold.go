package markdown

import "strings"

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

// progressNote is a remark in italics and brackets at the end of a task: what
// became of it so far.
var progressNote = pattern(`[_*]\([^()]{8,}(?:\([^()]*\)[^()]*)*\)[_*]\s*$`)

// heldBack reports that a task's own text or what it says below it holds it
// back, or that the text ends with a note on how far it is.
func heldBack(own, body string) bool {
	text := spaced(own)
	return matches(holdWords, text) || matches(laterWords, text) || matches(progressNote, own) || matches(holdWords, spaced(body))
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
func isStep(title string) bool { return matches(stepTitle, strings.TrimLeft(title, " *_")) }
