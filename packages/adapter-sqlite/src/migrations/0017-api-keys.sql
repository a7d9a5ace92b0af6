-- The API keys of each account (rule 15 of docs/sqlite.md). Of a secret, only a keyed hash is stored.
CREATE TABLE api_keys (
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- ["aliases:create", ...] as JSON.
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  alias_domain TEXT,
  -- As JSON.
  recipient_ids TEXT CHECK (recipient_ids IS NULL OR json_valid(recipient_ids)),
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  last_used_by TEXT,
  PRIMARY KEY (account, id),
  CONSTRAINT "a use has a time and a program" CHECK ((last_used_at IS NULL) = (last_used_by IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER api_key_stays_itself
BEFORE UPDATE OF account, id, hash, name, scopes, alias_domain, recipient_ids, expires_at, created_at ON api_keys BEGIN
  SELECT RAISE(ABORT, 'of an API key only the last use changes');
END;

CREATE TRIGGER api_key_use_advances BEFORE UPDATE OF last_used_at ON api_keys
WHEN ifnull(NEW.last_used_at < OLD.last_used_at, OLD.last_used_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'the last use of an API key never goes back');
END;
