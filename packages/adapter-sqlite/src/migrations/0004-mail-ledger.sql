-- The verification messages charged to each mailbox and each account, under keyed hashes of them. Belongs to no account.
CREATE TABLE mail_ledger (
  key TEXT NOT NULL PRIMARY KEY,
  -- Epoch milliseconds, oldest first, as JSON.
  charged_at TEXT NOT NULL CHECK (json_valid(charged_at)),
  suppressed_at INTEGER,
  expires_at INTEGER,
  version INTEGER NOT NULL CHECK (version >= 1)
) STRICT, WITHOUT ROWID;

CREATE INDEX mail_ledger_by_expiry ON mail_ledger (expires_at) WHERE expires_at IS NOT NULL;

-- Only the newest link works, so only the time of its message is of interest; the ledger has the others.
ALTER TABLE recipients ADD COLUMN verification_sent_at INTEGER;
UPDATE recipients SET verification_sent_at = json_extract(mailed_at, '$[#-1]');
ALTER TABLE recipients DROP COLUMN mailed_at;
