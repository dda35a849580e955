package markdown

// tiles gives every line to the innermost block that holds it and joins
// neighbours. Whatever the blocks are, the tiles cover the file exactly.
func (p *page) tiles(blocks []block) []Tile {
	if len(p.raw) == 0 {
		return nil
	}
	kinds, owners := p.paint(blocks)
	var out []Tile
	for n := range p.starts {
		if n > 0 && kinds[n] == kinds[n-1] && owners[n] == owners[n-1] {
			out[len(out)-1].End = p.end(n)
			continue
		}
		out = append(out, Tile{Kind: kinds[n], Start: p.starts[n], End: p.end(n), Line: n + 1})
	}
	return out
}

func (p *page) paint(blocks []block) (kinds []Kind, owners []int) {
	kinds, owners = make([]Kind, len(p.starts)), make([]int, len(p.starts))
	for n := range p.starts {
		kinds[n], owners[n] = KindText, -1
		switch {
		case p.starts[n] < p.body && p.front != nil:
			kinds[n] = KindFront
		case p.blank(n):
			kinds[n] = KindBlank
		}
	}
	for i, b := range blocks {
		for n := b.first; n <= b.last && n < len(p.starts); n++ {
			if kinds[n] != KindFront {
				kinds[n], owners[n] = b.kind, i
			}
		}
	}
	return kinds, owners
}
