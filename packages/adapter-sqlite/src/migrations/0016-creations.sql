-- What was created with which idempotency key in the last 24 hours (rule 14 of docs/sqlite.md). It may be gone by now.
CREATE TABLE creations (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('alias', 'webhook')),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (account, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX creations_by_age ON creations (at);

CREATE TRIGGER creation_stays BEFORE UPDATE ON creations WHEN OLD.at > NEW.at - 86400000 BEGIN
  SELECT RAISE(ABORT, 'what was created with a key stays known for 24 hours');
END;
