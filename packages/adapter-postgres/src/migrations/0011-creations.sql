-- What was created with which idempotency key in the last 24 hours (rule 14 of docs/postgres.md). It may be gone by now.
CREATE TABLE creations (
  account text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('alias', 'webhook')),
  id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (account, key)
);

CREATE INDEX creations_by_age ON creations (at);

-- One that is not over yet is never replaced: what would replace it is a repeat.
CREATE FUNCTION postern_creation_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'unique_violation', CONSTRAINT = 'creation_stays',
    MESSAGE = 'something was created with this key in the last 24 hours';
END $$;

CREATE TRIGGER creation_stays BEFORE UPDATE ON creations FOR EACH ROW
WHEN (OLD.at > NEW.at - 86400000) EXECUTE FUNCTION postern_creation_stays();
