-- The rules that constraints enforce have the numbers of docs/sqlite.md. Text is compared byte by byte, which is the
-- order of the domain's compareIds. Times are epoch milliseconds; booleans are 0 or 1.

CREATE TABLE recipients (
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  -- Addresses are ASCII, so NOCASE is the domain's EmailAddress.key.
  email TEXT NOT NULL COLLATE NOCASE,
  verified_at INTEGER,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  attached INTEGER NOT NULL DEFAULT 0 CHECK (attached >= 0),
  nonce TEXT NOT NULL,
  mailed_at TEXT NOT NULL CHECK (json_valid(mailed_at)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  PRIMARY KEY (account, id),
  UNIQUE (account, email), -- rule 6
  CONSTRAINT "a recipient that an alias holds is verified and active" -- rule 3
    CHECK (attached = 0 OR (verified_at IS NOT NULL AND active = 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE aliases (
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  email TEXT NOT NULL COLLATE NOCASE UNIQUE, -- rule 6
  description TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  -- The destinations of a deleted alias, which has no recipients attached: [{"recipientId", "email"}, ...] as JSON.
  remembered TEXT CHECK (json_valid(remembered)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  version INTEGER NOT NULL CHECK (version >= 1),
  deleted INTEGER NOT NULL GENERATED ALWAYS AS (deleted_at IS NOT NULL) VIRTUAL,
  first_position INTEGER GENERATED ALWAYS AS (iif(deleted_at IS NULL, 0, NULL)) VIRTUAL,
  PRIMARY KEY (account, id),
  CONSTRAINT "a deleted alias, and no other, remembers its destinations"
    CHECK ((deleted_at IS NULL) = (remembered IS NULL)),
  -- Rule 2: when a transaction commits, a live alias has a first destination.
  FOREIGN KEY (account, id, first_position) REFERENCES destinations (account, alias_id, position)
    DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE INDEX aliases_by_deleted ON aliases (account, deleted, id);
CREATE INDEX aliases_by_active ON aliases (account, deleted, active, id);

-- The recipients attached to live aliases, in order. A recipient's address never changes, so it is not repeated here.
CREATE TABLE destinations (
  account TEXT NOT NULL,
  alias_id TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position BETWEEN 0 AND 39),
  recipient_id TEXT NOT NULL,
  PRIMARY KEY (account, alias_id, position), -- rule 1
  UNIQUE (account, recipient_id, alias_id), -- rule 1
  FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id),
  FOREIGN KEY (account, recipient_id) REFERENCES recipients (account, id) -- rules 3 and 5
) STRICT, WITHOUT ROWID;

-- A separate table, so that counting cannot change settings, nor saving settings a counter (rule 4).
CREATE TABLE tallies (
  account TEXT NOT NULL,
  alias_id TEXT NOT NULL,
  outcome TEXT NOT NULL
    CHECK (outcome IN ('sent', 'delivered', 'bounced', 'complaint', 'replied', 'blocked')),
  count INTEGER NOT NULL CHECK (count >= 1),
  last_at INTEGER NOT NULL,
  PRIMARY KEY (account, alias_id, outcome),
  FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id)
) STRICT, WITHOUT ROWID;

-- The events that were counted, and when each was first reported.
CREATE TABLE events (
  account TEXT NOT NULL,
  alias_id TEXT NOT NULL,
  id TEXT NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (account, alias_id, id),
  FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_by_age ON events (told_at);

-- Rule 3: whichever program writes, `attached` counts a recipient's destinations, and the recipient's check above
-- refuses one that must not be attached.
CREATE TRIGGER destination_attaches AFTER INSERT ON destinations BEGIN
  UPDATE recipients SET attached = attached + 1 WHERE account = NEW.account AND id = NEW.recipient_id;
END;

CREATE TRIGGER destination_detaches AFTER DELETE ON destinations BEGIN
  UPDATE recipients SET attached = attached - 1 WHERE account = OLD.account AND id = OLD.recipient_id;
END;

CREATE TRIGGER destination_stays BEFORE UPDATE ON destinations BEGIN
  SELECT RAISE(ABORT, 'a destination is taken out and put in, never changed');
END;

CREATE TRIGGER deleted_alias_holds_nobody BEFORE INSERT ON destinations
WHEN EXISTS (SELECT 1 FROM aliases WHERE account = NEW.account AND id = NEW.alias_id AND deleted = 1)
BEGIN
  SELECT RAISE(ABORT, 'a deleted alias holds nobody');
END;

CREATE TRIGGER deleted_alias_lets_go AFTER UPDATE OF deleted_at ON aliases WHEN NEW.deleted_at IS NOT NULL BEGIN
  DELETE FROM destinations WHERE account = NEW.account AND alias_id = NEW.id;
END;

-- Rule 3 again, in case `attached` is ever wrong.
CREATE TRIGGER held_recipient_stays BEFORE UPDATE OF verified_at, active ON recipients
WHEN (NEW.verified_at IS NULL OR NEW.active = 0)
  AND EXISTS (SELECT 1 FROM destinations WHERE account = OLD.account AND recipient_id = OLD.id)
BEGIN
  SELECT RAISE(ABORT, 'a recipient that an alias holds stays verified and active');
END;

-- After, not before: by then a REPLACE has deleted the old row, and an insert that does nothing does not get here.
CREATE TRIGGER recipient_begins_free AFTER INSERT ON recipients
WHEN NEW.attached <> 0
  OR EXISTS (SELECT 1 FROM destinations WHERE account = NEW.account AND recipient_id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'no alias holds a new recipient');
END;

CREATE TRIGGER recipient_stays_itself BEFORE UPDATE OF account, id, email, created_at ON recipients BEGIN
  SELECT RAISE(ABORT, 'account, id, address and creation of a recipient never change');
END;

CREATE TRIGGER alias_stays_itself BEFORE UPDATE OF account, id, email, created_at ON aliases BEGIN
  SELECT RAISE(ABORT, 'account, id, address and creation of an alias never change');
END;

CREATE TRIGGER tally_only_rises BEFORE UPDATE ON tallies
WHEN NEW.count <= OLD.count OR NEW.last_at < OLD.last_at
BEGIN
  SELECT RAISE(ABORT, 'a tally goes up and its last time never back');
END;
