-- The first schema. A later one is a file of its own that changes this: stores that exist have gone through each.
-- Times are milliseconds since 1970. What is JSON is text, as nobody asks the database about its inside.

CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    secret BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE TABLE sessions (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at INTEGER,
    last_used_at INTEGER NOT NULL,
    left_at INTEGER,
    keep_alive INTEGER NOT NULL,
    region TEXT NOT NULL,
    engine_session TEXT,
    user_metadata TEXT NOT NULL,
    settings TEXT NOT NULL,
    end_reason TEXT
) STRICT;

CREATE INDEX sessions_by_owner ON sessions (owner, created_at);
CREATE INDEX sessions_by_state ON sessions (state, created_at);

-- A lease that is given back or over stays here, for its fence and its last holder.
CREATE TABLE leases (
    session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL,
    fence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_session ON idempotency (session);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- What was done in sessions; only ever added to, and gone with its session.
CREATE TABLE operations (
    sequence INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    parameters TEXT NOT NULL,
    result TEXT NOT NULL,
    url TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    usage TEXT NOT NULL
) STRICT;

CREATE INDEX operations_by_session ON operations (session, sequence);
