package web

import (
	"net/url"
	"strconv"
)

// pager links the parts of a long list. Page one has no number in its URL.
type pager struct {
	From, To, Total int
	Prev, Next      string
}

// paginate cuts one page out of a list by the page parameter of the query; a
// page past the end is the last one.
func paginate[T any](items []T, q url.Values, size int) ([]T, pager) {
	last := max(1, (len(items)+size-1)/size)
	n, err := strconv.Atoi(q.Get("page"))
	if err != nil || n < 1 {
		n = 1
	}
	n = min(n, last)
	from, to := (n-1)*size, min(n*size, len(items))
	p := pager{From: from + 1, To: to, Total: len(items)}
	if n > 1 {
		p.Prev = with(q, "page", pageNumber(n-1))
	}
	if n < last {
		p.Next = with(q, "page", pageNumber(n+1))
	}
	return items[from:to], p
}

func pageNumber(n int) string {
	if n == 1 {
		return ""
	}
	return strconv.Itoa(n)
}

// with is the query with one parameter changed, as a relative URL; an empty
// value drops the parameter. A page number and unknown parameters are dropped.
func with(q url.Values, key, value string) string {
	c := url.Values{}
	for _, k := range []string{"q", "kind", "status", "shared", "stage", "section"} {
		if v := q.Get(k); k != key && v != "" {
			c.Set(k, v)
		}
	}
	if value != "" {
		c.Set(key, value)
	}
	return "?" + c.Encode()
}
