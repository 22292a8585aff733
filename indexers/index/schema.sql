-- The embedded index.  What many rows are scanned for (chunks, documents) is kept apart from what is long (texts, vectors).

CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Many documents share one set of principals: it is stored once, and a filter works out which sets pass.
CREATE TABLE IF NOT EXISTS access_sets (id INTEGER PRIMARY KEY, principals TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS principals (
    principal TEXT NOT NULL, access INTEGER NOT NULL REFERENCES access_sets, PRIMARY KEY (principal, access)
) WITHOUT ROWID;

-- `version` is the index's version at which the row was last written; see `meta` and `removed`.  `read` is when its
-- state was read at its source, in microseconds since 1970.
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, access INTEGER NOT NULL REFERENCES access_sets,
    time REAL NOT NULL, source TEXT NOT NULL, thread TEXT NOT NULL, version INTEGER NOT NULL,
    timestamp TEXT NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL,
    content TEXT NOT NULL, facts TEXT NOT NULL, embedding TEXT NOT NULL, read INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS documents_version ON documents (version);
CREATE INDEX IF NOT EXISTS documents_time ON documents (time);
CREATE INDEX IF NOT EXISTS documents_access ON documents (access, source);
CREATE INDEX IF NOT EXISTS documents_thread ON documents (source, thread, time, key) WHERE thread <> '';
CREATE TABLE IF NOT EXISTS removed (version INTEGER NOT NULL, document INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS removed_version ON removed (version);
-- When documents were removed, as `read`: an older state that comes later is not taken.
CREATE TABLE IF NOT EXISTS removals (key TEXT PRIMARY KEY, read INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS people (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS participants (
    document INTEGER NOT NULL REFERENCES documents, position INTEGER NOT NULL, person INTEGER NOT NULL REFERENCES people,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS participants_person ON participants (person);

CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents, ordinal INTEGER NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS chunks_place ON chunks (document, ordinal);
-- `headings` stand above the chunk, `topics` are those and the ones inside it, each on a line of its own.
CREATE TABLE IF NOT EXISTS texts (
    chunk INTEGER PRIMARY KEY REFERENCES chunks, headings TEXT NOT NULL, topics TEXT NOT NULL, text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS vectors (chunk INTEGER PRIMARY KEY REFERENCES chunks, vector BLOB NOT NULL);

CREATE VIEW IF NOT EXISTS searchable AS
SELECT
    c.id AS id, c.document AS document, d.title || char(10) || t.topics AS title,
    d.title || char(10) || t.headings || char(10) || t.text AS body
FROM chunks AS c JOIN documents AS d ON d.id = c.document JOIN texts AS t ON t.chunk = c.id;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    body, title, content = 'searchable', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
