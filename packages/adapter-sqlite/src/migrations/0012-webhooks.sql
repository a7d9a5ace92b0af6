-- The webhooks of each account (rule 12 of docs/sqlite.md).
CREATE TABLE webhooks (
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- ["alias.created", ...] as JSON.
  events TEXT NOT NULL CHECK (json_valid(events)),
  secret TEXT NOT NULL,
  off TEXT CHECK (off IN ('owner', 'failing', 'gone')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER webhook_stays_itself BEFORE UPDATE OF account, id, secret, created_at ON webhooks BEGIN
  SELECT RAISE(ABORT, 'account, id, secret and creation of a webhook never change');
END;

-- When a webhook, which need not exist any more, has its next turn, and how its last one ended. It is not
-- due if nothing was announced then.
CREATE TABLE webhook_turns (
  account TEXT NOT NULL,
  webhook TEXT NOT NULL,
  due_at INTEGER,
  -- Until when somebody has the turn.
  leased_until INTEGER,
  failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
  failing_since INTEGER,
  after_position TEXT,
  PRIMARY KEY (account, webhook),
  CONSTRAINT "a webhook that fails has done so since some time" CHECK ((failures = 0) = (failing_since IS NULL)),
  CONSTRAINT "only a webhook that is due has a turn" CHECK (leased_until IS NULL OR due_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_turns_by_due ON webhook_turns (due_at) WHERE due_at IS NOT NULL;

-- The events that are still to be sent (rule 13). A position is all that an announcement consists of, besides its webhook.
CREATE TABLE announcements (
  account TEXT NOT NULL,
  webhook TEXT NOT NULL,
  position TEXT NOT NULL,
  PRIMARY KEY (account, webhook, position),
  FOREIGN KEY (account, webhook) REFERENCES webhook_turns (account, webhook)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER announcement_stays_itself BEFORE UPDATE ON announcements BEGIN
  SELECT RAISE(ABORT, 'an announcement never changes');
END;

CREATE TRIGGER announcement_needs_turn BEFORE INSERT ON announcements
WHEN EXISTS (SELECT 1 FROM webhook_turns WHERE account = NEW.account AND webhook = NEW.webhook AND due_at IS NULL)
BEGIN
  SELECT RAISE(ABORT, 'a webhook that something is announced to is due');
END;

CREATE TRIGGER announced_webhook_stays_due BEFORE UPDATE OF due_at ON webhook_turns
WHEN NEW.due_at IS NULL
  AND EXISTS (SELECT 1 FROM announcements WHERE account = OLD.account AND webhook = OLD.webhook)
BEGIN
  SELECT RAISE(ABORT, 'a webhook that something is announced to is due');
END;
