package index_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/store/sqlite"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "kb")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	note := "# Coffee machine\n\n## Cleaning\n\nPress both buttons for five seconds.\n\n## Beans\n\nThe beans are in the cupboard.\n"
	if err := os.WriteFile(filepath.Join(dir, "coffee.md"), []byte(note), 0o600); err != nil {
		log.Fatal(err)
	}

	db, err := sqlite.Open(ctx, filepath.Join(dir, ".kbagent", "kb.db"), sqlite.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	x, err := index.Open(ctx, db.Index(), nil, index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	report, err := x.Update(ctx, []string{dir}, index.UpdateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	hits, err := x.Keyword(ctx, "How do I clean the machine?", 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Files.Indexed, "file,", report.Passages, "passages")
	for _, h := range hits {
		fmt.Printf("%s:L%d-L%d %s\n", h.Path, h.StartLine, h.EndLine, h.Section)
	}
	// Output:
	// 1 file, 2 passages
	// coffee.md:L1-L5 Coffee machine > Cleaning
}
