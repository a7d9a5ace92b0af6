-- Each alias or recipient is one JSON document. The columns used in keys and conditions are generated from it.
CREATE TABLE recipients (
  data jsonb NOT NULL,
  account text COLLATE "C" GENERATED ALWAYS AS (data ->> 'account') STORED,
  id text COLLATE "C" GENERATED ALWAYS AS (data ->> 'id') STORED,
  key text COLLATE "C" GENERATED ALWAYS AS (lower((data ->> 'email') COLLATE "C")) STORED,
  version bigint GENERATED ALWAYS AS ((data -> 'version')::bigint) STORED,
  verified boolean GENERATED ALWAYS AS (data ->> 'verifiedAt' IS NOT NULL) STORED,
  eligible boolean GENERATED ALWAYS AS (data ->> 'verifiedAt' IS NOT NULL AND (data -> 'active')::boolean) STORED,
  PRIMARY KEY (account, id),
  CONSTRAINT recipients_address UNIQUE (account, key),
  UNIQUE (account, id, eligible)
);

CREATE TABLE aliases (
  data jsonb NOT NULL CHECK (jsonb_array_length(data -> 'destinations') > 0),
  -- The ids of those attached: none if the alias is deleted.
  recipients text[] NOT NULL,
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

-- Counts per account, and the limits of its latest creation; 0 is no limit. Once a day, delete rows in which all counts are 0.
CREATE TABLE counts (
  account text COLLATE "C" PRIMARY KEY,
  aliases bigint NOT NULL DEFAULT 0 CHECK (aliases >= 0),
  recipients bigint NOT NULL DEFAULT 0 CHECK (recipients >= 0),
  unverified bigint NOT NULL DEFAULT 0 CHECK (unverified >= 0),
  max_aliases bigint NOT NULL DEFAULT 0,
  max_recipients bigint NOT NULL DEFAULT 0,
  max_unverified bigint NOT NULL DEFAULT 0,
  CONSTRAINT too_many_aliases CHECK (max_aliases = 0 OR aliases <= max_aliases),
  CONSTRAINT too_many_recipients CHECK (max_recipients = 0 OR recipients <= max_recipients),
  CONSTRAINT too_many_unverified_recipients CHECK (max_unverified = 0 OR unverified <= max_unverified)
);

-- Functions and triggers are part of the statement that calls them: if one fails, all of it is undone.
CREATE FUNCTION create_recipient(recipient jsonb, recipient_limit bigint, unverified_limit bigint)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO counts (account, max_recipients, max_unverified)
  VALUES (recipient ->> 'account', recipient_limit,
    CASE WHEN recipient ->> 'verifiedAt' IS NULL THEN unverified_limit ELSE 0 END)
  ON CONFLICT (account) DO UPDATE
  SET max_recipients = excluded.max_recipients, max_unverified = excluded.max_unverified;
  INSERT INTO recipients (data) VALUES (recipient);
$$;

CREATE FUNCTION follow_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE counts SET recipients = recipients + 1, unverified = unverified + (NOT NEW.verified)::int
    WHERE account = NEW.account;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE counts SET recipients = recipients - 1, unverified = unverified - (NOT OLD.verified)::int
    WHERE account = OLD.account;
  ELSIF OLD.verified <> NEW.verified THEN
    UPDATE counts SET unverified = unverified + OLD.verified::int - NEW.verified::int, max_unverified = 0
    WHERE account = NEW.account;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER follow AFTER INSERT OR UPDATE OR DELETE ON recipients
FOR EACH ROW EXECUTE FUNCTION follow_recipient();

-- What was created with which idempotency key, one JSON document each. Once a day, delete those that have expired.
CREATE TABLE creations (
  data jsonb NOT NULL,
  account text COLLATE "C" GENERATED ALWAYS AS (data ->> 'account') STORED,
  key text COLLATE "C" GENERATED ALWAYS AS (data ->> 'key') STORED,
  expires_at bigint GENERATED ALWAYS AS ((data -> 'expiresAt')::bigint) STORED,
  PRIMARY KEY (account, key)
);
CREATE INDEX ON creations (expires_at);

CREATE FUNCTION create_alias(alias jsonb, recipients text[], alias_limit bigint, creation jsonb)
RETURNS void LANGUAGE sql AS $$
  DELETE FROM creations AS c WHERE (c.account, c.key) = (creation ->> 'account', creation ->> 'key')
  AND c.expires_at <= (creation -> 'at')::bigint;
  INSERT INTO creations (data) SELECT creation WHERE creation IS NOT NULL;
  INSERT INTO counts (account, max_aliases) VALUES (alias ->> 'account', alias_limit)
  ON CONFLICT (account) DO UPDATE SET max_aliases = excluded.max_aliases;
  INSERT INTO aliases (data, recipients) VALUES (alias, recipients);
$$;

CREATE FUNCTION follow_alias() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE counts SET aliases = aliases - 1 WHERE account = OLD.account;
    RETURN NULL;
  ELSIF TG_OP = 'INSERT' THEN
    UPDATE counts SET aliases = aliases + 1 WHERE account = NEW.account;
    INSERT INTO addresses VALUES (lower((NEW.data ->> 'email') COLLATE "C"), NEW.account, NEW.id);
  END IF;
  DELETE FROM attachments
  WHERE account = NEW.account AND alias_id = NEW.id AND recipient_id <> ALL (NEW.recipients);
  INSERT INTO attachments (account, alias_id, recipient_id)
  SELECT NEW.account, NEW.id, unnest(NEW.recipients) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER follow AFTER INSERT OR UPDATE OF recipients OR DELETE ON aliases
FOR EACH ROW EXECUTE FUNCTION follow_alias();

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

-- Counts an event of the alias with this id or this address, unless it has been counted before.
CREATE FUNCTION record_outcome(
  alias_account text, alias_id text, alias_key text, event_id text, outcome text, at bigint
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  alias aliases;
  tally text[] := ARRAY['tallies', outcome];
BEGIN
  SELECT a.* INTO alias FROM aliases AS a WHERE (a.account, a.id) = (alias_account, alias_id)
  OR (a.account, a.id) = (SELECT d.account, d.alias_id FROM addresses AS d WHERE d.key = alias_key) FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'alias_not_found'; END IF;
  INSERT INTO events VALUES (alias.account, alias.id, event_id) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN 'duplicate'; END IF;
  UPDATE aliases SET data = jsonb_set(data, tally, jsonb_build_object(
    'count', (data #> tally ->> 'count')::bigint + 1,
    'lastAt', greatest((data #> tally ->> 'lastAt')::bigint, at)))
  WHERE account = alias.account AND id = alias.id;
  RETURN 'recorded';
END $$;

-- The mail ledger, one JSON document per entry. Once a day, delete those that have expired.
CREATE TABLE mail_ledger (
  data jsonb NOT NULL,
  key text COLLATE "C" GENERATED ALWAYS AS (data ->> 'key') STORED PRIMARY KEY,
  version bigint GENERATED ALWAYS AS ((data -> 'version')::bigint) STORED,
  expires_at bigint GENERATED ALWAYS AS ((data ->> 'expiresAt')::bigint) STORED
);
CREATE INDEX ON mail_ledger (expires_at);

-- Lets only the next version replace an entry, and only version 1 be new.
CREATE FUNCTION follow_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.version <> coalesce(OLD.version, 0) + 1 THEN RAISE serialization_failure; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER follow AFTER INSERT OR UPDATE ON mail_ledger FOR EACH ROW EXECUTE FUNCTION follow_version();

-- One row, which each ping writes.
CREATE TABLE probe (id int PRIMARY KEY DEFAULT 1 CHECK (id = 1));
