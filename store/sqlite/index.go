package sqlite

var indexSchema = part{name: "index"}
