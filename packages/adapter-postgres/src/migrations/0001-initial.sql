-- The rules that constraints and triggers enforce have the numbers of docs/postgres.md. Text is compared byte by byte
-- (COLLATE "C"), which is the order of the domain's compareIds. Times are epoch milliseconds.
--
-- Rows are always locked in the same order, so that transactions wait for each other, but never in a circle: the usage of
-- the account, an alias or a recipient, an address, the recipients attached or detached in the order of their ids.

-- How much each account has, for its limits. An account without aliases and recipients has no row.
CREATE TABLE account_usage (
  account text COLLATE "C" PRIMARY KEY,
  aliases bigint NOT NULL DEFAULT 0 CHECK (aliases >= 0),
  recipients bigint NOT NULL DEFAULT 0 CHECK (recipients >= 0),
  unverified_recipients bigint NOT NULL DEFAULT 0 CHECK (unverified_recipients >= 0)
);

CREATE TABLE recipients (
  account text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  verified_at bigint,
  active boolean NOT NULL,
  -- How many live aliases it is attached to: the number of its rows in `attachments`.
  attached bigint NOT NULL DEFAULT 0 CHECK (attached >= 0),
  nonce text COLLATE "C" NOT NULL,
  verification_sent_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  version bigint NOT NULL CHECK (version >= 1),
  PRIMARY KEY (account, id),
  CONSTRAINT attached_recipient_is_eligible -- rule 3
    CHECK (attached = 0 OR (verified_at IS NOT NULL AND active))
);

-- Addresses are ASCII, so lower() in the collation "C" is the domain's EmailAddress.key. Rule 6.
CREATE UNIQUE INDEX recipients_address ON recipients (account, lower(email));

CREATE TABLE aliases (
  account text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  description text COLLATE "C" NOT NULL,
  active boolean NOT NULL,
  -- Rules 1 and 2: [{"recipientId", "email"}, …], in the order chosen. A deleted alias remembers them.
  destinations jsonb NOT NULL CONSTRAINT alias_has_destinations
    CHECK (CASE jsonb_typeof(destinations) WHEN 'array' THEN jsonb_array_length(destinations) BETWEEN 1 AND 40 ELSE false END),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  deleted_at bigint,
  version bigint NOT NULL CHECK (version >= 1),
  -- The words of the description that searches compare, as the domain's searchedWords determines them.
  words text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (account, id)
);

CREATE INDEX aliases_live ON aliases (account, id) WHERE deleted_at IS NULL;
CREATE INDEX aliases_live_by_active ON aliases (account, active, id) WHERE deleted_at IS NULL;
CREATE INDEX aliases_deleted ON aliases (account, id) WHERE deleted_at IS NOT NULL;

-- Every address that an alias has or had, as the domain's EmailAddress.key. One without an alias is retired: no alias can
-- ever have it, and nothing else is stored about the alias that had it.
CREATE TABLE addresses (
  key text COLLATE "C" PRIMARY KEY CHECK (key = lower(key)), -- rule 6
  account text COLLATE "C",
  alias_id text COLLATE "C",
  CHECK ((account IS NULL) = (alias_id IS NULL))
);

CREATE INDEX addresses_by_account ON addresses (account, key) WHERE account IS NOT NULL;
CREATE INDEX addresses_retired ON addresses (key) WHERE account IS NULL;

-- The recipients attached to live aliases. Triggers keep it in agreement with `aliases`.
CREATE TABLE attachments (
  account text COLLATE "C",
  recipient_id text COLLATE "C",
  alias_id text COLLATE "C",
  PRIMARY KEY (account, recipient_id, alias_id),
  CONSTRAINT attached_recipient_exists -- rules 3 and 5
    FOREIGN KEY (account, recipient_id) REFERENCES recipients (account, id)
);

-- The words of descriptions, for searches. Triggers keep it in agreement with `aliases`.
CREATE TABLE alias_words (
  account text COLLATE "C",
  word text COLLATE "C",
  alias_id text COLLATE "C",
  PRIMARY KEY (account, word, alias_id)
);

-- A separate table, so that counting cannot change settings, nor saving settings a counter (rule 4).
CREATE TABLE tallies (
  account text COLLATE "C",
  alias_id text COLLATE "C",
  outcome text COLLATE "C" CHECK (outcome IN ('sent', 'delivered', 'bounced', 'complaint', 'replied', 'blocked')),
  count bigint NOT NULL CHECK (count >= 1),
  last_at bigint NOT NULL,
  PRIMARY KEY (account, alias_id, outcome),
  CONSTRAINT tally_has_alias FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id) ON DELETE CASCADE
);

-- The events that were counted, and when each was first reported. Without a foreign key: an alias can have so many that
-- those that remain after it has been erased are deleted later.
CREATE TABLE events (
  account text COLLATE "C",
  alias_id text COLLATE "C",
  id text COLLATE "C",
  reported_at bigint NOT NULL,
  PRIMARY KEY (account, alias_id, id)
);

CREATE INDEX events_by_age ON events (reported_at);

-- The verification messages charged to each mailbox and each account, under keyed hashes of them. Belongs to no account.
CREATE TABLE mail_ledger (
  key text COLLATE "C" PRIMARY KEY,
  -- Oldest first.
  charged_at bigint[] NOT NULL,
  suppressed_at bigint,
  expires_at bigint,
  version bigint NOT NULL CHECK (version >= 1)
);

CREATE INDEX mail_ledger_by_expiry ON mail_ledger (expires_at) WHERE expires_at IS NOT NULL;

-- The accounts that the operator has suspended, and since when.
CREATE TABLE suspensions (
  account text COLLATE "C" PRIMARY KEY,
  since bigint NOT NULL
);

-- One row, which each ping writes.
CREATE TABLE probe (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1)
);

-- Adds to the usage of an account. Its row is locked until the transaction ends.
CREATE FUNCTION postern_count_usage(of_account text, more_aliases bigint, more_recipients bigint, more_unverified bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_usage
  SET aliases = aliases + more_aliases,
    recipients = recipients + more_recipients,
    unverified_recipients = unverified_recipients + more_unverified
  WHERE account = of_account;
  IF NOT FOUND THEN
    INSERT INTO account_usage AS u VALUES (of_account, more_aliases, more_recipients, more_unverified)
    ON CONFLICT (account) DO UPDATE
    SET aliases = u.aliases + more_aliases,
      recipients = u.recipients + more_recipients,
      unverified_recipients = u.unverified_recipients + more_unverified;
  ELSIF more_aliases < 0 OR more_recipients < 0 THEN
    DELETE FROM account_usage WHERE account = of_account AND aliases = 0 AND recipients = 0;
  END IF;
END $$;

-- The recipients that are attached to an alias with these fields.
CREATE FUNCTION postern_attached_recipients(destinations jsonb, deleted_at bigint)
RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN deleted_at IS NULL
    THEN ARRAY(SELECT d ->> 'recipientId' FROM jsonb_array_elements(destinations) AS d)
    ELSE '{}'
  END
$$;

-- Rule 3, whichever program writes: attaches `wanted` instead of `attached_before`. A recipient that is missing violates
-- attached_recipient_exists, and one that is not verified and active attached_recipient_is_eligible.
CREATE FUNCTION postern_attach(of_account text, of_alias text, attached_before text[], wanted text[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  recipient record;
BEGIN
  FOR recipient IN
    SELECT id, change FROM (
      SELECT id, 1 AS change FROM (SELECT unnest(wanted) AS id EXCEPT SELECT unnest(attached_before)) AS attached
      UNION ALL
      SELECT id, -1 FROM (SELECT unnest(attached_before) AS id EXCEPT SELECT unnest(wanted)) AS detached
    ) AS changes
    ORDER BY id COLLATE "C"
  LOOP
    UPDATE recipients SET attached = attached + recipient.change
    WHERE account = of_account AND id = recipient.id;
    IF recipient.change > 0 THEN
      INSERT INTO attachments VALUES (of_account, recipient.id, of_alias);
    ELSE
      DELETE FROM attachments
      WHERE account = of_account AND recipient_id = recipient.id AND alias_id = of_alias;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION postern_index_words(of_account text, of_alias text, words_before text[], wanted text[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM alias_words
  WHERE account = of_account AND alias_id = of_alias
    AND word = ANY (ARRAY(SELECT unnest(words_before) EXCEPT SELECT unnest(wanted)));
  INSERT INTO alias_words
  SELECT of_account, word, of_alias
  FROM (SELECT unnest(wanted) AS word EXCEPT SELECT unnest(words_before)) AS added;
END $$;

CREATE FUNCTION postern_alias_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM postern_count_usage(NEW.account, 1, 0, 0);
  INSERT INTO addresses VALUES (lower(NEW.email), NEW.account, NEW.id);
  PERFORM postern_attach(NEW.account, NEW.id, '{}', postern_attached_recipients(NEW.destinations, NEW.deleted_at));
  PERFORM postern_index_words(NEW.account, NEW.id, '{}', NEW.words);
  RETURN NULL;
END $$;

CREATE FUNCTION postern_alias_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.account, NEW.id, NEW.email, NEW.created_at) <> (OLD.account, OLD.id, OLD.email, OLD.created_at) THEN
    RAISE EXCEPTION 'account, id, address and creation of an alias never change';
  END IF;
  IF NEW.destinations <> OLD.destinations OR NEW.deleted_at IS DISTINCT FROM OLD.deleted_at THEN
    PERFORM postern_attach(
      NEW.account, NEW.id,
      postern_attached_recipients(OLD.destinations, OLD.deleted_at),
      postern_attached_recipients(NEW.destinations, NEW.deleted_at));
  END IF;
  IF NEW.words <> OLD.words THEN
    PERFORM postern_index_words(NEW.account, NEW.id, OLD.words, NEW.words);
  END IF;
  RETURN NULL;
END $$;

-- Whichever program deletes an alias, its address is retired with it.
CREATE FUNCTION postern_alias_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM postern_count_usage(OLD.account, -1, 0, 0);
  UPDATE addresses SET account = NULL, alias_id = NULL WHERE key = lower(OLD.email);
  PERFORM postern_attach(OLD.account, OLD.id, postern_attached_recipients(OLD.destinations, OLD.deleted_at), '{}');
  PERFORM postern_index_words(OLD.account, OLD.id, OLD.words, '{}');
  RETURN NULL;
END $$;

CREATE TRIGGER alias_inserted AFTER INSERT ON aliases
FOR EACH ROW EXECUTE FUNCTION postern_alias_inserted();
CREATE TRIGGER alias_updated AFTER UPDATE ON aliases
FOR EACH ROW EXECUTE FUNCTION postern_alias_updated();
CREATE TRIGGER alias_deleted AFTER DELETE ON aliases
FOR EACH ROW EXECUTE FUNCTION postern_alias_deleted();

CREATE FUNCTION postern_recipient_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM postern_count_usage(NEW.account, 0, 1, (NEW.verified_at IS NULL)::int);
  RETURN NULL;
END $$;

CREATE FUNCTION postern_recipient_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.account, NEW.id, NEW.email, NEW.created_at) <> (OLD.account, OLD.id, OLD.email, OLD.created_at) THEN
    RAISE EXCEPTION 'account, id, address and creation of a recipient never change';
  END IF;
  PERFORM postern_count_usage(
    NEW.account, 0, 0, (NEW.verified_at IS NULL)::int - (OLD.verified_at IS NULL)::int);
  RETURN NULL;
END $$;

CREATE FUNCTION postern_recipient_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM postern_count_usage(OLD.account, 0, -1, -(OLD.verified_at IS NULL)::int);
  RETURN NULL;
END $$;

CREATE TRIGGER recipient_inserted AFTER INSERT ON recipients
FOR EACH ROW EXECUTE FUNCTION postern_recipient_inserted();
CREATE TRIGGER recipient_updated AFTER UPDATE OF account, id, email, created_at, verified_at ON recipients
FOR EACH ROW WHEN (
  (NEW.account, NEW.id, NEW.email, NEW.created_at) <> (OLD.account, OLD.id, OLD.email, OLD.created_at)
  OR (NEW.verified_at IS NULL) <> (OLD.verified_at IS NULL)
)
EXECUTE FUNCTION postern_recipient_updated();
CREATE TRIGGER recipient_deleted AFTER DELETE ON recipients
FOR EACH ROW EXECUTE FUNCTION postern_recipient_deleted();

CREATE FUNCTION postern_address_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NEW.key <> OLD.key OR OLD.account IS NULL AND NEW.account IS NOT NULL THEN
    RAISE EXCEPTION 'an address that an alias has had never becomes free';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER address_stays BEFORE UPDATE OR DELETE ON addresses
FOR EACH ROW EXECUTE FUNCTION postern_address_stays();
