package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A runner tries violations on the module in dir.
type runner struct {
	dir     string
	scratch string // folder for changed files
	timeout time.Duration
	jobs    int
}

// A baseline is how the tests of one package end while nothing is planted.
type baseline struct {
	outcome outcome
	err     error
}

// target is a package with or without the race detector.
type target struct {
	pkg  string
	race bool
}

// try judges all violations, jobs at a time, and calls report for each in the order of the list, as soon as it and all
// before it are known. It returns the findings, and an error only when ctx ends first.
func (r *runner) try(ctx context.Context, list []violation, report func(violation, finding)) ([]finding, error) {
	base, err := r.baselines(ctx, list)
	if err != nil {
		return nil, err
	}
	findings := make([]finding, len(list))
	ready := make([]chan struct{}, len(list))
	for i := range ready {
		ready[i] = make(chan struct{})
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		r.each(len(list), func(i int) {
			findings[i] = r.one(ctx, i, &list[i], base)
			close(ready[i])
		})
	})
	for i := range list {
		<-ready[i]
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		report(list[i], findings[i])
	}
	return findings, nil
}

// each calls f for 0 to n-1, jobs at a time, and waits.
func (r *runner) each(n int, f func(int)) {
	var wg sync.WaitGroup
	free := make(chan struct{}, r.jobs)
	for i := range n {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			f(i)
		})
	}
	wg.Wait()
}

// baselines runs the tests of all violations once without any of them, a package at a time.
func (r *runner) baselines(ctx context.Context, list []violation) (map[target]baseline, error) {
	names := map[target][]string{}
	var order []target
	for i := range list {
		for _, t := range list[i].tests {
			at := target{t.pkg, list[i].race}
			if _, ok := names[at]; !ok {
				order = append(order, at)
			}
			if !slices.Contains(names[at], t.name) {
				names[at] = append(names[at], t.name)
			}
		}
	}
	results := make([]baseline, len(order))
	r.each(len(order), func(i int) {
		all := names[order[i]]
		g := goTest{dir: r.dir, pkg: order[i].pkg, names: all, race: order[i].race, timeout: r.timeout * time.Duration(len(all))}
		results[i].outcome, results[i].err = g.run(ctx)
	})
	base := map[target]baseline{}
	for i, at := range order {
		base[at] = results[i]
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return base, nil
}

// one plants one violation and judges it.
func (r *runner) one(ctx context.Context, number int, v *violation, base map[target]baseline) finding {
	overlay, err := r.overlay(number, v)
	switch {
	case errors.Is(err, errApply):
		return finding{noMatch, err.Error()}
	case err != nil:
		return finding{broken, err.Error()}
	}
	var pkgs []string
	byPkg := map[string][]string{}
	for _, t := range v.tests {
		if !slices.Contains(pkgs, t.pkg) {
			pkgs = append(pkgs, t.pkg)
		}
		byPkg[t.pkg] = append(byPkg[t.pkg], t.name)
	}
	for _, pkg := range pkgs {
		before := base[target{pkg, v.race}]
		if before.err != nil {
			return finding{testBroken, before.err.Error()}
		}
		if wrong := sound(byPkg[pkg], before.outcome); wrong != "" {
			return finding{testBroken, wrong}
		}
		g := goTest{r.dir, pkg, byPkg[pkg], overlay, v.race, r.timeout}
		o, err := g.run(ctx)
		if err != nil {
			return finding{broken, err.Error()}
		}
		if f := v.judge(byPkg[pkg], o); f.verdict != caught {
			return f
		}
	}
	return finding{verdict: caught}
}

// overlay writes the changed files of a violation into the scratch folder and returns the file for -overlay.
func (r *runner) overlay(number int, v *violation) (string, error) {
	changed, err := v.plant(os.DirFS(r.dir))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(r.scratch, strconv.Itoa(number))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range changed {
		copied := filepath.Join(dir, fmt.Sprintf("%d-%s", len(replace), filepath.Base(name)))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(r.dir, filepath.FromSlash(name))] = copied
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o600)
}
