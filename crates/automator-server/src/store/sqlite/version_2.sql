-- What only the server itself needs of a session as long as it goes on, such as the passwords of its proxies.
CREATE TABLE session_secrets (
    session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    secret BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Profiles that outlive sessions. The writer is a session, which may be over or unknown.
CREATE TABLE contexts (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version TEXT,
    writer TEXT
) STRICT, WITHOUT ROWID;
