-- Whether the alias knows a contact only because mail from others names it. Earlier versions did not tell them apart.
ALTER TABLE contacts ADD COLUMN only_named boolean NOT NULL DEFAULT false;

-- Those that can be evicted, in that order (the domain's Contact.inOrderOfEviction).
DROP INDEX contacts_by_use;
CREATE INDEX contacts_by_use ON contacts (account, alias_id, only_named, last_received_at)
WHERE blocking = 'none' AND added_at IS NULL AND last_sent_at IS NULL;

-- To count those of the last hour.
CREATE INDEX contacts_named ON contacts (account, alias_id, created_at) WHERE only_named;

-- As before, except for contacts that were only named (the domain's RecordedContacts.withFewNamed and .makeRoom): stores new
-- contacts of an alias and later times of those that it has, of which `known` must not be evicted for new ones. The alias may
-- have `most` contacts; 0 means no limit. Returns the ids of the new ones that were stored. Null if the alias has
-- been erased, or its contacts are not what the caller has found: read again.
--
-- The alias is locked first, like everywhere, and for new contacts so that nobody else counts them or stores others.
CREATE OR REPLACE FUNCTION postern_meet_contacts(
  of_account text, of_alias text, fresh jsonb, noted jsonb, known text[], most bigint
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  wanted text[];
  newly_named text[];
  refused text[];
  named boolean;
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
    SELECT c.id, n."addedAt", n."onlyNamed", n."lastReceivedAt", n."lastSentAt"
    FROM contacts AS c
    JOIN jsonb_to_recordset(noted) AS n (id text, "addedAt" bigint, "onlyNamed" boolean,
      "lastReceivedAt" bigint, "lastSentAt" bigint)
      ON c.account = of_account AND c.alias_id = of_alias AND c.id = n.id
    ORDER BY c.id FOR NO KEY UPDATE OF c
  )
  UPDATE contacts AS c
  SET added_at = coalesce(c.added_at, f."addedAt"),
    only_named = c.only_named AND coalesce(f."onlyNamed", false),
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
  newly_named := ARRAY(
    SELECT f.value ->> 'id' FROM jsonb_array_elements(fresh) WITH ORDINALITY AS f (value, n)
    WHERE f.value -> 'onlyNamed' = 'true' AND f.value ->> 'id' = ANY (wanted)
    ORDER BY f.n);
  IF newly_named <> '{}' THEN
    SELECT count(*) INTO changed FROM contacts
    WHERE account = of_account AND alias_id = of_alias AND only_named AND created_at > (
      SELECT max((f ->> 'createdAt')::bigint) - 3600000 FROM jsonb_array_elements(fresh) AS f);
    -- Those from number 101 on.
    wanted := ARRAY(
      SELECT w.id FROM unnest(wanted) WITH ORDINALITY AS w (id, n)
      WHERE w.id <> ALL (newly_named[greatest(0, 100 - changed) + 1:]) ORDER BY w.n);
    newly_named := newly_named[:greatest(0, 100 - changed)];
  END IF;
  IF most > 0 AND wanted <> '{}' THEN
    SELECT count(*) + cardinality(wanted) - most INTO excess
    FROM contacts WHERE account = of_account AND alias_id = of_alias;
    FOREACH named IN ARRAY ARRAY[true, false] LOOP
      IF excess > 0 THEN
        -- One that somebody else is just changing is not the longest unused one.
        WITH leaving AS MATERIALIZED (
          SELECT id FROM contacts
          WHERE account = of_account AND alias_id = of_alias AND only_named = named
            AND blocking = 'none' AND added_at IS NULL AND last_sent_at IS NULL AND id <> ALL (known)
          ORDER BY last_received_at LIMIT excess FOR UPDATE SKIP LOCKED
        )
        DELETE FROM contacts AS c USING leaving AS l WHERE c.account = of_account AND c.id = l.id;
        GET DIAGNOSTICS changed = ROW_COUNT;
        excess := excess - changed;
      END IF;
      IF excess > 0 THEN
        -- The last of the new ones of this kind.
        refused := ARRAY(
          SELECT w.id FROM unnest(wanted) WITH ORDINALITY AS w (id, n)
          WHERE (w.id = ANY (newly_named)) = named ORDER BY w.n DESC LIMIT excess);
        wanted := ARRAY(
          SELECT w.id FROM unnest(wanted) WITH ORDINALITY AS w (id, n) WHERE w.id <> ALL (refused) ORDER BY w.n);
        excess := excess - cardinality(refused);
      END IF;
    END LOOP;
  END IF;
  INSERT INTO contacts
    (account, id, alias_id, email, blocking, created_at, added_at, only_named, last_received_at, last_sent_at, version)
  SELECT of_account, f.id, of_alias, f.email, f.blocking, f."createdAt", f."addedAt", coalesce(f."onlyNamed", false),
    f."lastReceivedAt", f."lastSentAt", f.version
  FROM jsonb_to_recordset(fresh) AS f (id text, email text, blocking text, "createdAt" bigint, "addedAt" bigint,
    "onlyNamed" boolean, "lastReceivedAt" bigint, "lastSentAt" bigint, version bigint)
  WHERE f.id = ANY (wanted);
  RETURN wanted;
END $$;
