-- The senders that an account has blocked (rule 9 of docs/sqlite.md).
CREATE TABLE blocked_senders (
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  -- Addresses and domains are ASCII, so NOCASE is the domain's Sender.key.
  sender TEXT NOT NULL COLLATE NOCASE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account, id),
  UNIQUE (account, sender)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER blocked_sender_stays_itself BEFORE UPDATE ON blocked_senders BEGIN
  SELECT RAISE(ABORT, 'a blocked sender never changes');
END;
