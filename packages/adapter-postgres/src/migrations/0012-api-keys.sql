-- The API keys of the accounts (rule 15 of docs/postgres.md). An account has as many as there are slots. Of a secret, only a
-- keyed hash is stored.
CREATE TABLE api_keys (
  account text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  slot integer NOT NULL CHECK (slot BETWEEN 1 AND 20),
  hash text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL,
  alias_domain text COLLATE "C",
  recipient_ids text[],
  expires_at bigint,
  created_at bigint NOT NULL,
  last_used_at bigint,
  last_used_by text COLLATE "C",
  PRIMARY KEY (account, id),
  CONSTRAINT api_keys_slot UNIQUE (account, slot),
  CONSTRAINT api_keys_hash UNIQUE (hash),
  CONSTRAINT api_key_use_is_whole CHECK ((last_used_at IS NULL) = (last_used_by IS NULL))
);

-- Gives a new row the first free slot of its account. Of several at once, each waits until the one before is committed: a query
-- that begins while this transaction has the lock sees what was committed before.
CREATE FUNCTION postern_take_slot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(NEW.account, TG_RELID::bigint));
  EXECUTE format(
    'SELECT min(s) FROM generate_series(1, 1 + (SELECT count(*) FROM %1$s WHERE account = $1)) AS s
    WHERE s NOT IN (SELECT slot FROM %1$s WHERE account = $1)', TG_RELID::regclass) INTO NEW.slot USING NEW.account;
  RETURN NEW;
END $$;

CREATE TRIGGER api_key_takes_slot BEFORE INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION postern_take_slot();

-- Earlier versions choose the slot themselves, and may still be running.
CREATE TRIGGER webhook_takes_slot BEFORE INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION postern_take_slot();

CREATE FUNCTION postern_api_key_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'of an API key only the last use changes, and never goes back';
END $$;

CREATE TRIGGER api_key_stays BEFORE UPDATE ON api_keys FOR EACH ROW
WHEN (
  (NEW.account, NEW.id, NEW.hash, NEW.name, NEW.scopes, NEW.alias_domain, NEW.recipient_ids, NEW.expires_at, NEW.created_at)
  IS DISTINCT FROM
  (OLD.account, OLD.id, OLD.hash, OLD.name, OLD.scopes, OLD.alias_domain, OLD.recipient_ids, OLD.expires_at, OLD.created_at)
  OR coalesce(NEW.last_used_at < OLD.last_used_at, OLD.last_used_at IS NOT NULL)
)
EXECUTE FUNCTION postern_api_key_stays();
