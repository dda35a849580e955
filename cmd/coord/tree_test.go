package main

import "testing"

// A command line finds its verb without the rest of the tree.
func TestOneVerbTree(t *testing.T) {
	whole := newRoot(&app{})
	if len(whole.Commands()) != len(verbs) {
		t.Errorf("%d commands of %d", len(whole.Commands()), len(verbs))
	}
	for _, v := range verbs {
		one := newRoot(&app{}, v.name, "--help").Commands()
		if len(one) != 1 || one[0].Name() != v.name || one[0].GroupID != v.stage {
			t.Errorf("%s: %v", v.name, one)
			continue
		}
		if got, _, err := whole.Find([]string{v.name}); err != nil || got.UsageString() != one[0].UsageString() {
			t.Errorf("%s is used in one way alone and in another in the tree (%v)", v.name, err)
		}
	}
	for _, v := range taskVerbs {
		one := newRoot(&app{}, "task", v.name).Commands()[0].Commands()
		if len(one) != 1 || one[0].Name() != v.name {
			t.Errorf("task %s: %v", v.name, one)
			continue
		}
		if got, _, err := whole.Find([]string{"task", v.name}); err != nil || got.UsageString() != one[0].UsageString() {
			t.Errorf("task %s is used in one way alone and in another in the tree (%v)", v.name, err)
		}
	}
	for _, args := range [][]string{{"task"}, {"task", "make"}, {"task", "--json", "show"}} {
		if n := len(newRoot(&app{}, args...).Commands()[0].Commands()); n != len(taskVerbs) {
			t.Errorf("%v: %d verbs", args, n)
		}
	}
	for _, args := range [][]string{{"nextt"}, {"--json", "next"}, {"help", "next"}, {"-C", "up"}} {
		if n := len(newRoot(&app{}, args...).Commands()); n != len(verbs) {
			t.Errorf("%v: %d commands", args, n)
		}
	}
}
