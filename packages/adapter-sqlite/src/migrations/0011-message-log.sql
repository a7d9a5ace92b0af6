-- What became of the messages of each alias in the last 30 days (rule 10 of docs/sqlite.md). `details` are the fields of
-- `LoggedMessage` that have no column, as JSON.
CREATE TABLE logged_messages (
  account TEXT NOT NULL,
  alias_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  details TEXT NOT NULL CHECK (json_valid(details)),
  PRIMARY KEY (account, alias_id, at, id),
  FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX logged_messages_by_age ON logged_messages (at);

CREATE TRIGGER logged_message_only_advances BEFORE UPDATE ON logged_messages
WHEN NEW.account <> OLD.account OR NEW.alias_id <> OLD.alias_id OR NEW.at <> OLD.at OR NEW.id <> OLD.id
  OR NEW.revision <= OLD.revision
BEGIN
  SELECT RAISE(ABORT, 'a logged message stays itself, and its revision goes up');
END;

-- Requests to send messages again, for the server that has the spool (rule 11 of docs/sqlite.md).
CREATE TABLE resends (
  account TEXT NOT NULL,
  alias_id TEXT NOT NULL,
  message TEXT NOT NULL,
  spool TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (account, alias_id, message, spool),
  FOREIGN KEY (account, alias_id) REFERENCES aliases (account, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX resends_of_a_spool ON resends (spool);
CREATE INDEX resends_by_age ON resends (at);
