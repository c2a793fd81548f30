package peers_test

import "testing"

// perStep runs one workload on all runtimes that have it. The last state of every run is checked, which costs the same for
// all, and after the last one what it has stored.
func perStep(b *testing.B, steps int, pick func(peer) func(testing.TB) work) {
	for _, p := range runtimes {
		prepare := pick(p)
		if prepare == nil {
			continue
		}
		b.Run(p.name, func(b *testing.B) {
			w := prepare(b)
			b.ReportAllocs()
			for b.Loop() {
				if err := w.run(); err != nil {
					b.Fatal(err)
				}
			}
			if steps > 1 {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(steps), "ns/step")
			}
			if w.saved != nil {
				check(b, w.saved())
			}
		})
	}
}

func BenchmarkLoop(b *testing.B) {
	perStep(b, loopSteps, func(p peer) func(testing.TB) work { return p.loop })
}

func BenchmarkFanOut(b *testing.B) {
	perStep(b, 1, func(p peer) func(testing.TB) work { return p.fanOut })
}

func BenchmarkHistory(b *testing.B) {
	perStep(b, loopSteps, func(p peer) func(testing.TB) work { return p.history })
}

func BenchmarkSQLite(b *testing.B) {
	perStep(b, loopSteps, func(p peer) func(testing.TB) work { return p.sqlite })
}

// What is measured is checked here too, without measuring.
func TestEveryRuntimeEndsEveryWorkloadInTheRightState(t *testing.T) {
	for _, p := range runtimes {
		for name, prepare := range map[string]func(testing.TB) work{
			"loop": p.loop, "fan-out": p.fanOut, "history": p.history, "sqlite": p.sqlite,
		} {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				if prepare == nil {
					t.Skip("it has no such feature")
				}
				w := prepare(t)
				for range 2 {
					check(t, w.run())
					if w.saved != nil {
						check(t, w.saved())
					}
				}
			})
		}
	}
}
