-- Each alias or recipient is one JSON document. The columns used in keys and conditions are generated from it.
CREATE TABLE recipients (
  data jsonb NOT NULL,
  account text COLLATE "C" GENERATED ALWAYS AS (data ->> 'account') STORED,
  id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'id') STORED,
  key text COLLATE "C" GENERATED ALWAYS AS (lower((data ->> 'email') COLLATE "C")) STORED,
  version bigint GENERATED ALWAYS AS ((data -> 'version')::bigint) STORED,
  eligible boolean GENERATED ALWAYS AS (data ->> 'verifiedAt' IS NOT NULL AND (data -> 'active')::boolean) STORED,
  PRIMARY KEY (account, id),
  UNIQUE (account, key),
  UNIQUE (account, id, eligible)
);

CREATE TABLE aliases (
  data jsonb NOT NULL CHECK (jsonb_array_length(data -> 'destinations') > 0),
  account text COLLATE "C" GENERATED ALWAYS AS (data ->> 'account') STORED,
  id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'id') STORED,
  version bigint GENERATED ALWAYS AS ((data -> 'version')::bigint) STORED,
  PRIMARY KEY (account, id)
);

-- The address of each alias. When the alias is erased, its address remains without an owner: it is retired.
CREATE TABLE addresses (
  key text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C",
  alias_id text COLLATE "C",
  UNIQUE (account, alias_id),
  FOREIGN KEY (account, alias_id) REFERENCES aliases ON DELETE SET NULL
);
CREATE INDEX ON addresses (key) WHERE alias_id IS NULL;

-- The recipients of live aliases. A recipient must be eligible to be attached, and remain eligible while attached.
CREATE TABLE attachments (
  account text COLLATE "C",
  alias_id text COLLATE "C",
  recipient_id text COLLATE "C",
  eligible boolean NOT NULL DEFAULT true CHECK (eligible),
  PRIMARY KEY (account, alias_id, recipient_id),
  FOREIGN KEY (account, alias_id) REFERENCES aliases ON DELETE CASCADE,
  FOREIGN KEY (account, recipient_id, eligible) REFERENCES recipients (account, id, eligible)
);
CREATE INDEX ON attachments (account, recipient_id);

CREATE VIEW counted_recipients AS
SELECT account, id, data || jsonb_build_object('attached', (
  SELECT count(*) FROM attachments AS a WHERE a.account = r.account AND a.recipient_id = r.id)) AS data
FROM recipients AS r;

-- The contacts of aliases, one JSON document each.
CREATE TABLE contacts (
  data jsonb NOT NULL,
  id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'id') STORED PRIMARY KEY,
  account text COLLATE "C" GENERATED ALWAYS AS (data ->> 'account') STORED,
  alias_id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'alias') STORED,
  key text COLLATE "C" GENERATED ALWAYS AS (lower((data ->> 'email') COLLATE "C")) STORED,
  version bigint GENERATED ALWAYS AS ((data -> 'version')::bigint) STORED,
  created_at bigint GENERATED ALWAYS AS ((data -> 'createdAt')::bigint) STORED,
  last_received_at bigint GENERATED ALWAYS AS ((data ->> 'lastReceivedAt')::bigint) STORED,
  is_evictable boolean GENERATED ALWAYS AS
    (data ->> 'blocking' = 'none' AND data ->> 'addedAt' IS NULL AND data ->> 'lastSentAt' IS NULL) STORED,
  CONSTRAINT contacts_address UNIQUE (account, alias_id, key),
  CONSTRAINT contacts_alias FOREIGN KEY (account, alias_id) REFERENCES aliases ON DELETE CASCADE
);
CREATE INDEX ON contacts (account, alias_id, created_at, id);
CREATE INDEX ON contacts (account, alias_id, last_received_at) WHERE is_evictable;

-- How often encounters have changed each alias's contacts: of two calls that have read the same number, only one writes.
CREATE TABLE meetings (
  account text COLLATE "C",
  alias_id text COLLATE "C",
  number bigint NOT NULL,
  PRIMARY KEY (account, alias_id),
  FOREIGN KEY (account, alias_id) REFERENCES aliases ON DELETE CASCADE
);

-- The senders that accounts have blocked, one JSON document each.
CREATE TABLE blocked_senders (
  data jsonb NOT NULL,
  account text COLLATE "C" GENERATED ALWAYS AS (data ->> 'account') STORED,
  id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'id') STORED,
  key text COLLATE "C" GENERATED ALWAYS AS (lower((data ->> 'sender') COLLATE "C")) STORED,
  PRIMARY KEY (account, id),
  UNIQUE (account, key)
);

-- What became of the messages of each alias, one JSON document each. Once a day, delete those older than 30 days.
CREATE TABLE logged_messages (
  data jsonb NOT NULL,
  account text COLLATE "C" GENERATED ALWAYS AS (data ->> 'account') STORED,
  alias_id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'alias') STORED,
  at bigint GENERATED ALWAYS AS ((data -> 'at')::bigint) STORED,
  position text COLLATE "C" GENERATED ALWAYS AS (lpad(data ->> 'at', 16, '0') || (data ->> 'id')) STORED,
  revision bigint GENERATED ALWAYS AS ((data -> 'revision')::bigint) STORED,
  PRIMARY KEY (account, alias_id, position),
  FOREIGN KEY (account, alias_id) REFERENCES aliases ON DELETE CASCADE
);
CREATE INDEX ON logged_messages (at);

-- Requests to send messages again, one JSON document each. Once a day, delete those older than 7 days.
CREATE TABLE resends (
  data jsonb NOT NULL,
  spool text COLLATE "C" GENERATED ALWAYS AS (data ->> 'spool') STORED,
  account text COLLATE "C" GENERATED ALWAYS AS (data ->> 'account') STORED,
  alias_id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'alias') STORED,
  message text COLLATE "C" GENERATED ALWAYS AS (data ->> 'message') STORED,
  at bigint GENERATED ALWAYS AS ((data -> 'at')::bigint) STORED,
  PRIMARY KEY (spool, account, alias_id, message),
  FOREIGN KEY (account, alias_id) REFERENCES aliases ON DELETE CASCADE
);
CREATE INDEX ON resends (at);

-- The webhooks of accounts, one JSON document each.
CREATE TABLE webhooks (
  data jsonb NOT NULL,
  account text COLLATE "C" GENERATED ALWAYS AS (data ->> 'account') STORED,
  id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'id') STORED,
  version bigint GENERATED ALWAYS AS ((data -> 'version')::bigint) STORED,
  PRIMARY KEY (account, id)
);

-- The events that are still to be sent to webhooks.
CREATE TABLE announcements (
  account text COLLATE "C",
  webhook text COLLATE "C",
  position text COLLATE "C",
  PRIMARY KEY (account, webhook, position)
);

-- How many announcements each webhook has, when its next turn is due, if any, and how the last one ended. Once a day, delete rows
-- that are not due and have no failures.
CREATE TABLE turns (
  account text COLLATE "C",
  webhook text COLLATE "C",
  announced bigint NOT NULL CHECK (announced >= 0),
  due_at bigint,
  leased_until bigint NOT NULL DEFAULT 0,
  failures bigint NOT NULL DEFAULT 0,
  failing_since bigint,
  after_position text COLLATE "C",
  PRIMARY KEY (account, webhook)
);
CREATE INDEX ON turns (due_at);

-- Counts per account, for its limits. Once a day, delete rows in which all counts are 0.
CREATE TABLE counts (
  account text COLLATE "C" PRIMARY KEY,
  aliases bigint NOT NULL DEFAULT 0 CHECK (aliases >= 0),
  recipients bigint NOT NULL DEFAULT 0 CHECK (recipients >= 0),
  unverified bigint NOT NULL DEFAULT 0 CHECK (unverified >= 0),
  webhooks bigint NOT NULL DEFAULT 0 CHECK (webhooks >= 0)
);

-- The mail ledger, one JSON document per entry. Once a day, delete those that have expired.
CREATE TABLE mail_ledger (
  data jsonb NOT NULL,
  key text COLLATE "C" GENERATED ALWAYS AS (data ->> 'key') STORED PRIMARY KEY,
  version bigint GENERATED ALWAYS AS ((data -> 'version')::bigint) STORED,
  expires_at bigint GENERATED ALWAYS AS ((data ->> 'expiresAt')::bigint) STORED
);
CREATE INDEX ON mail_ledger (expires_at);

-- The mail events that have been counted. Once a day, delete those older than 35 days.
CREATE TABLE events (
  account text COLLATE "C",
  alias_id text COLLATE "C",
  id text COLLATE "C",
  reported_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account, alias_id, id),
  FOREIGN KEY (account, alias_id) REFERENCES aliases ON DELETE CASCADE
);
CREATE INDEX ON events (reported_at);

-- Since when each suspended account has been suspended, in epoch milliseconds.
CREATE TABLE suspensions (
  account text COLLATE "C" PRIMARY KEY,
  since bigint NOT NULL
);

-- One row, which each ping writes.
CREATE TABLE probe (id int PRIMARY KEY DEFAULT 1 CHECK (id = 1));
