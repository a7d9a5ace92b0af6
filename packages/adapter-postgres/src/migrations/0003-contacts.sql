-- The contacts of aliases (rule 8 of docs/postgres.md). Whichever program deletes an alias, its contacts go with it.
CREATE TABLE contacts (
  account text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL CONSTRAINT contacts_id UNIQUE,
  alias_id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  blocking text COLLATE "C" NOT NULL CHECK (blocking IN ('none', 'reject', 'discard')),
  created_at bigint NOT NULL,
  added_at bigint,
  last_received_at bigint,
  last_sent_at bigint,
  version bigint NOT NULL CHECK (version >= 1),
  PRIMARY KEY (account, id),
  CONSTRAINT contact_has_time CHECK (added_at IS NOT NULL OR last_received_at IS NOT NULL OR last_sent_at IS NOT NULL),
  CONSTRAINT contact_has_alias FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX contacts_address ON contacts (account, alias_id, lower(email));
CREATE INDEX contacts_by_creation ON contacts (account, alias_id, created_at, id);

-- Those that can give way to new ones (the domain's Contact.canGiveWay).
CREATE INDEX contacts_by_use ON contacts (account, alias_id, last_received_at)
WHERE blocking = 'none' AND added_at IS NULL AND last_sent_at IS NULL;

CREATE FUNCTION postern_contact_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'account, id, alias, address and creation of a contact never change';
END $$;

CREATE TRIGGER contact_stays BEFORE UPDATE ON contacts FOR EACH ROW
WHEN ((NEW.account, NEW.id, NEW.alias_id, NEW.email, NEW.created_at)
  <> (OLD.account, OLD.id, OLD.alias_id, OLD.email, OLD.created_at))
EXECUTE FUNCTION postern_contact_stays();

-- Stores new contacts of an alias and later times of those that it has, of which `known` must not give way to new ones. The
-- alias may have `most` contacts; 0 means no limit. Returns the ids of the new ones that were stored. Null if the alias has
-- been erased, or its contacts are not what the caller has found: read again.
--
-- The alias is locked first, like everywhere, and for new contacts so that nobody else counts them or stores others.
CREATE FUNCTION postern_meet_contacts(
  of_account text, of_alias text, fresh jsonb, noted jsonb, known text[], most bigint
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  wanted text[];
  changed bigint;
  excess bigint;
BEGIN
  IF fresh = '[]' THEN
    PERFORM FROM aliases WHERE account = of_account AND id = of_alias FOR KEY SHARE;
  ELSE
    PERFORM FROM aliases WHERE account = of_account AND id = of_alias FOR NO KEY UPDATE;
  END IF;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;

  -- In the order of the ids, so that calls wait for each other, but never in a circle.
  WITH found AS MATERIALIZED (
    SELECT c.id, n."addedAt", n."lastReceivedAt", n."lastSentAt"
    FROM contacts AS c
    JOIN jsonb_to_recordset(noted) AS n (id text, "addedAt" bigint, "lastReceivedAt" bigint, "lastSentAt" bigint)
      ON c.account = of_account AND c.alias_id = of_alias AND c.id = n.id
    ORDER BY c.id FOR NO KEY UPDATE OF c
  )
  UPDATE contacts AS c
  SET added_at = coalesce(c.added_at, f."addedAt"),
    last_received_at = greatest(c.last_received_at, f."lastReceivedAt"),
    last_sent_at = greatest(c.last_sent_at, f."lastSentAt")
  FROM found AS f WHERE c.account = of_account AND c.id = f.id;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed < jsonb_array_length(noted) OR EXISTS (
    SELECT FROM jsonb_to_recordset(fresh) AS f (email text)
    JOIN contacts AS c ON c.account = of_account AND c.alias_id = of_alias AND lower(c.email) = lower(f.email COLLATE "C")
  ) THEN
    RETURN NULL;
  END IF;

  wanted := ARRAY(
    SELECT f.value ->> 'id' FROM jsonb_array_elements(fresh) WITH ORDINALITY AS f (value, n)
    WHERE NOT EXISTS (SELECT FROM contacts AS c WHERE c.id = f.value ->> 'id')
    ORDER BY f.n);
  IF most > 0 AND wanted <> '{}' THEN
    SELECT count(*) + cardinality(wanted) - most INTO excess
    FROM contacts WHERE account = of_account AND alias_id = of_alias;
    IF excess > 0 THEN
      -- One that somebody else is just changing is not the longest unused one.
      WITH leaving AS MATERIALIZED (
        SELECT id FROM contacts
        WHERE account = of_account AND alias_id = of_alias
          AND blocking = 'none' AND added_at IS NULL AND last_sent_at IS NULL AND id <> ALL (known)
        ORDER BY last_received_at LIMIT excess FOR UPDATE SKIP LOCKED
      )
      DELETE FROM contacts AS c USING leaving AS l WHERE c.account = of_account AND c.id = l.id;
      GET DIAGNOSTICS changed = ROW_COUNT;
      wanted := wanted[1:greatest(0, cardinality(wanted) - (excess - changed))];
    END IF;
  END IF;
  INSERT INTO contacts
    (account, id, alias_id, email, blocking, created_at, added_at, last_received_at, last_sent_at, version)
  SELECT of_account, f.id, of_alias, f.email, f.blocking, f."createdAt", f."addedAt", f."lastReceivedAt", f."lastSentAt", f.version
  FROM jsonb_to_recordset(fresh) AS f (id text, email text, blocking text, "createdAt" bigint, "addedAt" bigint,
    "lastReceivedAt" bigint, "lastSentAt" bigint, version bigint)
  WHERE f.id = ANY (wanted);
  RETURN wanted;
END $$;
