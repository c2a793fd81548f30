//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	firstQuestion = "Folder or file to index (Enter takes the manual of kbagent): "
	withoutModel  = "no model: answers quote the documents; with one, which `kbagent init` sets up, they are written and checked"
)

func TestTheFirstChatAsksForAFolderAndIndexesIt(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "notes"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "empty"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes", "logs.md"), []byte("# Logs\n\nOld logs are kept for seven days.\n"), 0o644))
	for _, args := range [][]string{{"chat"}, nil} { // a bare kbagent does the same
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "data")))
		cmd := kbagent(t, dir, nil, args...)
		m := onTerminal(t, cmd)
		m.expect("The knowledge base in data is still empty.")
		m.answer(firstQuestion, "ntes")
		m.answer("no such file or folder: ntes\r\n"+firstQuestion, "empty")
		m.expect("nothing in empty could be indexed")
		m.answer(firstQuestion, "notes")
		m.expect("1 indexed, ")
		m.expect("`kbagent index notes` brings it up to date after changes")
		m.expect("1 files, 1 passages")
		m.expect(withoutModel)
		require.NoError(t, cmd.Process.Kill()) // at the prompt of the chat
		_ = cmd.Wait()
		_, stdout, _ := finish(t, kbagent(t, dir, nil, "search", "old logs"))
		assert.Contains(t, stdout, "logs.md:L")
	}
}

func TestTheFirstChatTakesTheManualForAnEmptyAnswer(t *testing.T) {
	m := onTerminal(t, kbagent(t, t.TempDir(), nil, "chat"))
	m.answer(firstQuestion, "")
	m.expect("this is the manual of kbagent; `kbagent index PATH` adds your documents")
	m.expect(withoutModel)
}

func TestTheFirstChatCanBeLeft(t *testing.T) {
	for key, says := range map[string]string{"\x03": "kbagent: interrupted", "\x04": "run `kbagent index PATH` first"} {
		cmd := kbagent(t, t.TempDir(), nil, "chat")
		m := onTerminal(t, cmd)
		m.expect(firstQuestion)
		_, err := m.device.WriteString(key)
		require.NoError(t, err)
		m.expect(says)
		_ = cmd.Wait() // the exit code is looked at
		assert.Equal(t, exitError, cmd.ProcessState.ExitCode())
	}
}

func TestABareCallWithAKnowledgeBasePrintsTheHelp(t *testing.T) {
	cmd := kbagent(t, newBase(t), nil)
	m := onTerminal(t, cmd)
	m.expect("Available Commands")
	assert.NoError(t, cmd.Wait())
}
