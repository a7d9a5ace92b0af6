-- What became of the messages of each alias in the last 30 days (rule 10 of docs/postgres.md). `details` are the fields of
-- `LoggedMessage` that have no column. Whichever program deletes an alias, its log goes with it.
CREATE TABLE logged_messages (
  account text COLLATE "C" NOT NULL,
  alias_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL CHECK (revision >= 1),
  details jsonb NOT NULL,
  PRIMARY KEY (account, alias_id, at, id),
  CONSTRAINT logged_message_has_alias FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id) ON DELETE CASCADE
);

CREATE INDEX logged_messages_by_age ON logged_messages (at);

CREATE FUNCTION postern_logged_message_advances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a logged message stays itself, and its revision goes up';
END $$;

CREATE TRIGGER logged_message_advances BEFORE UPDATE ON logged_messages FOR EACH ROW
WHEN ((NEW.account, NEW.alias_id, NEW.at, NEW.id) <> (OLD.account, OLD.alias_id, OLD.at, OLD.id)
  OR NEW.revision <= OLD.revision)
EXECUTE FUNCTION postern_logged_message_advances();

-- Requests to send messages again, for the server that has the spool (rule 11 of docs/postgres.md).
CREATE TABLE resends (
  account text COLLATE "C" NOT NULL,
  alias_id text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  spool text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (account, alias_id, message, spool),
  CONSTRAINT resend_has_alias FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id) ON DELETE CASCADE
);

CREATE INDEX resends_of_a_spool ON resends (spool);
CREATE INDEX resends_by_age ON resends (at);
