package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCtrlCEndsTheQuestionsOfANewScenario(t *testing.T) {
	in, typed, err := os.Pipe()
	require.NoError(t, err)
	said, out, err := os.Pipe()
	require.NoError(t, err)
	ctx, ctrlC := context.WithCancel(t.Context())
	ctrlC()
	assert.Equal(t, exitError, run(ctx, []string{"scenario", "new"}, streams{in, out, out}), "nobody types anything")
	require.NoError(t, typed.Close()) // ends the read that is left
	for _, f := range []*os.File{out, said, in} {
		assert.NoError(t, f.Close())
	}
}
