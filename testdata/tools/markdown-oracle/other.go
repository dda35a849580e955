package main

import (
	"strings"

	"rsc.io/markdown"
)

// other is what the other parser finds outside of quotes.
func other(src string) map[place]bool {
	p := markdown.Parser{Table: true, TaskListItems: true, Strikethrough: true}
	w := walk{out: map[place]bool{}, lines: strings.Split(src, "\n")}
	w.blocks(p.Parse(src).Blocks)
	return w.out
}

type walk struct {
	out   map[place]bool
	lines []string
}

func (w walk) blocks(blocks []markdown.Block) {
	for _, b := range blocks {
		w.block(b)
	}
}

func (w walk) block(b markdown.Block) {
	switch b := b.(type) {
	case *markdown.Heading:
		w.out[place{b.StartLine, heading}] = true
	case *markdown.List:
		w.blocks(b.Items)
	case *markdown.Item:
		w.out[place{b.StartLine, item}] = true
		if isTask(b) {
			w.out[place{b.StartLine, checkbox}] = true
		}
		w.blocks(b.Blocks)
	case *markdown.Table:
		for n := b.StartLine; n < b.StartLine+2+len(b.Rows); n++ {
			w.out[place{n, row}] = true
		}
	}
}

func isTask(b *markdown.Item) bool {
	if len(b.Blocks) == 0 {
		return false
	}
	t, ok := b.Blocks[0].(*markdown.Text)
	if p, is := b.Blocks[0].(*markdown.Paragraph); is {
		t, ok = p.Text, true
	}
	if !ok || len(t.Inline) == 0 {
		return false
	}
	_, ok = t.Inline[0].(*markdown.Task)
	return ok
}
