-- The contacts of aliases (rule 8 of docs/sqlite.md).
CREATE TABLE contacts (
  account TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  alias_id TEXT NOT NULL,
  -- Addresses are ASCII, so NOCASE is the domain's EmailAddress.key.
  email TEXT NOT NULL COLLATE NOCASE,
  blocking TEXT NOT NULL CHECK (blocking IN ('none', 'reject', 'discard')),
  created_at INTEGER NOT NULL,
  added_at INTEGER,
  last_received_at INTEGER,
  last_sent_at INTEGER,
  version INTEGER NOT NULL CHECK (version >= 1),
  PRIMARY KEY (account, id),
  UNIQUE (account, alias_id, email),
  CONSTRAINT "a contact has a time of use"
    CHECK (added_at IS NOT NULL OR last_received_at IS NOT NULL OR last_sent_at IS NOT NULL),
  FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX contacts_by_creation ON contacts (account, alias_id, created_at, id);

-- Those that can give way to new ones (the domain's Contact.canGiveWay).
CREATE INDEX contacts_by_use ON contacts (account, alias_id, last_received_at)
WHERE blocking = 'none' AND added_at IS NULL AND last_sent_at IS NULL;

CREATE TRIGGER contact_stays_itself BEFORE UPDATE OF id, account, alias_id, email, created_at ON contacts BEGIN
  SELECT RAISE(ABORT, 'id, alias, address and creation of a contact never change');
END;
