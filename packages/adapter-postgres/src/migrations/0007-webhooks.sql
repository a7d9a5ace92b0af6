-- The webhooks of the accounts (rule 12 of docs/postgres.md). An account has as many as there are slots.
CREATE TABLE webhooks (
  account text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  slot integer NOT NULL CHECK (slot BETWEEN 1 AND 5),
  url text COLLATE "C" NOT NULL,
  events text[] NOT NULL,
  secret text COLLATE "C" NOT NULL,
  off text COLLATE "C" CHECK (off IN ('owner', 'failing', 'gone')),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  version bigint NOT NULL CHECK (version >= 1),
  PRIMARY KEY (account, id),
  CONSTRAINT webhooks_slot UNIQUE (account, slot)
);

CREATE FUNCTION postern_webhook_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'account, id, secret and creation of a webhook never change';
END $$;

CREATE TRIGGER webhook_stays BEFORE UPDATE ON webhooks FOR EACH ROW
WHEN ((NEW.account, NEW.id, NEW.secret, NEW.created_at) <> (OLD.account, OLD.id, OLD.secret, OLD.created_at))
EXECUTE FUNCTION postern_webhook_stays();

-- When a webhook, which need not exist any more, has its next turn, and how its last one ended.
CREATE TABLE webhook_turns (
  account text COLLATE "C" NOT NULL,
  webhook text COLLATE "C" NOT NULL,
  -- Null if nothing was announced when the last turn ended.
  due_at bigint,
  -- Until when somebody has the turn; null if nobody has.
  leased_until bigint,
  failures bigint NOT NULL DEFAULT 0 CHECK (failures >= 0),
  failing_since bigint,
  after_position text COLLATE "C",
  PRIMARY KEY (account, webhook),
  CONSTRAINT failing_webhook_has_time CHECK ((failures = 0) = (failing_since IS NULL)),
  CONSTRAINT leased_turn_is_due CHECK (leased_until IS NULL OR due_at IS NOT NULL)
);

CREATE INDEX webhook_turns_due ON webhook_turns (due_at) WHERE due_at IS NOT NULL;

-- The events that are still to be sent (rule 13). A position is all that an announcement consists of, besides its webhook.
CREATE TABLE announcements (
  account text COLLATE "C" NOT NULL,
  webhook text COLLATE "C" NOT NULL,
  position text COLLATE "C" NOT NULL,
  PRIMARY KEY (account, webhook, position),
  CONSTRAINT announcement_has_turn FOREIGN KEY (account, webhook) REFERENCES webhook_turns (account, webhook)
);

-- Ends a turn, unless somebody else has it. Whoever announces something locks the row of the turn too, and until the announcement is
-- committed. So a statement that begins while this one has the lock, as EXISTS does, sees all that was announced before; and what is
-- announced afterwards makes the webhook due again.
CREATE FUNCTION postern_end_turn(
  of_account text, of_webhook text, until bigint, next_due_at bigint, next_failures bigint, next_failing_since bigint, next_after text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  is_announced boolean;
BEGIN
  PERFORM FROM webhook_turns
  WHERE account = of_account AND webhook = of_webhook AND leased_until = until FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  is_announced := EXISTS (SELECT FROM announcements WHERE account = of_account AND webhook = of_webhook);
  IF is_announced OR next_failures > 0 THEN
    UPDATE webhook_turns
    SET due_at = CASE WHEN is_announced THEN next_due_at END, leased_until = NULL,
      failures = next_failures, failing_since = next_failing_since, after_position = next_after
    WHERE account = of_account AND webhook = of_webhook;
  ELSE
    DELETE FROM webhook_turns WHERE account = of_account AND webhook = of_webhook;
  END IF;
END $$;
