-- The host of the website that an alias is for; '' if none.
ALTER TABLE aliases ADD COLUMN website text COLLATE "C" NOT NULL DEFAULT '';

-- When its owner made it the default recipient.
ALTER TABLE recipients ADD COLUMN default_since bigint;

-- Until when it is known; null for those from before, which are known for 24 hours.
ALTER TABLE creations ADD COLUMN expires_at bigint;

DROP TRIGGER creation_stays ON creations;
CREATE TRIGGER creation_stays BEFORE UPDATE ON creations FOR EACH ROW
WHEN (coalesce(OLD.expires_at, OLD.at + 86400000) > NEW.at) EXECUTE FUNCTION postern_creation_stays();
CREATE OR REPLACE FUNCTION postern_creation_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'unique_violation', CONSTRAINT = 'creation_stays',
    MESSAGE = 'something was created with this key, which has not expired';
END $$;
