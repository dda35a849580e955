// Mutants seeds known bugs into the module, one at a time and without touching
// the tree, and proves that the tests catch each of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

func main() {
	root := flag.String("root", filepath.Join("..", "..", ".."), "the module's `directory`")
	only := flag.String("only", "", "seed only the mutant of this `name`")
	stale := flag.Bool("stale", false, "run nothing; only look whether each mutant still fits the code")
	parallel := flag.Int("parallel", 2, "how many `mutants` at once")
	patience := flag.Duration("patience", 2*time.Minute, "how long one run of a test may take; more on a busy machine")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *root, *only, *stale, *parallel, *patience); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, root, only string, stale bool, parallel int, patience time.Duration) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	all, err := readMutants(filepath.Join(root, "testdata", "mutants"))
	if err != nil {
		return err
	}
	if only != "" {
		all = slices.DeleteFunc(all, func(m mutant) bool { return m.name != only })
	}
	if len(all) == 0 {
		return fmt.Errorf("there is no mutant %q", only)
	}
	if err := allFit(root, all); err != nil || stale {
		return err
	}
	dir, err := os.MkdirTemp("", "coord-mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := &workshop{root: root, dir: dir, goCommand: "go", patience: patience}
	began := time.Now()
	if err := w.allHealthy(ctx, all, parallel); err != nil {
		return err
	}
	return report(w.huntAll(ctx, all, parallel), time.Since(began))
}

// allFit names every stale mutant at once.
func allFit(root string, all []mutant) error {
	var stale []string
	for _, m := range all {
		if _, err := m.apply(root); err != nil {
			stale = append(stale, fmt.Sprintf("%s: %s is stale: %v", m.where, m.name, err))
		}
	}
	if len(stale) > 0 {
		return fmt.Errorf("fit them to the code:\n%s", strings.Join(stale, "\n"))
	}
	return nil
}

// allHealthy proves that every named test exists and passes without a mutant.
func (w *workshop) allHealthy(ctx context.Context, all []mutant, parallel int) error {
	patterns := map[string][]string{}
	for _, m := range all {
		if !slices.Contains(patterns[m.pkg], m.run) {
			patterns[m.pkg] = append(patterns[m.pkg], m.run)
		}
	}
	var errs problems
	each(parallel, len(patterns), func(i int) {
		pkg := slices.Sorted(maps.Keys(patterns))[i]
		binary, env, err := w.build(ctx, "healthy-"+strings.ReplaceAll(pkg, "/", "-"), pkg, nil)
		if err != nil {
			errs.add(fmt.Errorf("%s %w", pkg, err))
			return
		}
		for _, pattern := range patterns[pkg] {
			if err := w.healthy(ctx, binary, env, pkg, pattern); err != nil {
				errs.add(fmt.Errorf("%s: %w", pkg, err))
			}
		}
	})
	return errs.joined()
}

// result is what became of one mutant.
type result struct {
	mutant
	by   string
	err  error
	took time.Duration
}

func (w *workshop) huntAll(ctx context.Context, all []mutant, parallel int) []result {
	results := make([]result, len(all))
	each(parallel, len(all), func(i int) {
		began := time.Now()
		by, err := w.hunt(ctx, all[i])
		results[i] = result{all[i], by, err, time.Since(began)}
	})
	return results
}

// each calls f for every index below n, a few at a time.
func each(parallel, n int, f func(int)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(parallel, 1))
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f(i)
		})
	}
	wg.Wait()
}

// report prints the table, and fails unless every mutant was caught.
func report(results []result, took time.Duration) error {
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "MUTANT\tBREAKS\tBUG\tCAUGHT BY\tTIME")
	var errs problems
	for _, r := range results {
		by := r.pkg + "." + r.by
		if r.pkg == "." {
			by = r.by
		}
		if r.err != nil {
			by, _, _ = strings.Cut(r.err.Error(), "\n")
			by = "NOT CAUGHT: " + strings.TrimSuffix(by, ":")
			errs.add(fmt.Errorf("%s: %s %w", r.where, r.name, r.err))
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%.1fs\n", r.name, r.rule, r.bug, by, r.took.Seconds())
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Printf("\n%d of %d seeded bugs were caught, in %s\n", len(results)-len(errs.list), len(results), took.Round(time.Second))
	return errs.joined()
}

// problems collects errors of several goroutines.
type problems struct {
	mu   sync.Mutex
	list []string
}

func (p *problems) add(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, err.Error())
}

func (p *problems) joined() error {
	if len(p.list) == 0 {
		return nil
	}
	return fmt.Errorf("%d problems:\n%s", len(p.list), strings.Join(p.list, "\n"))
}
