package sqlite

var checkpointSchema = part{name: "checkpoints"}
