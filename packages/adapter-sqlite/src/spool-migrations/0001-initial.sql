-- What is remembered for 35 days. `facts` are the fields of a message except its header.
CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  facts TEXT NOT NULL CHECK (json_valid(facts)),
  header BLOB NOT NULL
) STRICT;
CREATE INDEX messages_by_age ON messages (created_at);

-- Bodies that are still needed: in `content` or in a file of this name. `octets` is what the limit counts for the message.
CREATE TABLE bodies (
  message TEXT PRIMARY KEY REFERENCES messages (id),
  size INTEGER NOT NULL,
  octets INTEGER NOT NULL,
  content BLOB,
  file TEXT UNIQUE,
  CHECK ((content IS NULL) <> (file IS NULL))
) STRICT;

-- The sum of `bodies.octets`.
CREATE TABLE total (id INTEGER PRIMARY KEY CHECK (id = 1), octets INTEGER NOT NULL) STRICT;
INSERT INTO total VALUES (1, 0);
CREATE TRIGGER body_kept AFTER INSERT ON bodies BEGIN
  UPDATE total SET octets = octets + NEW.octets;
END;
CREATE TRIGGER body_forgotten AFTER DELETE ON bodies BEGIN
  UPDATE total SET octets = octets - OLD.octets;
END;

-- `account` and `alias` are empty for copies that belong to none. `noticed`: a message was kept because its group has failed.
CREATE TABLE copies (
  serial INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  message TEXT NOT NULL REFERENCES messages (id),
  created_at INTEGER NOT NULL,
  mailbox TEXT NOT NULL,
  purpose TEXT NOT NULL CHECK (json_valid(purpose)),
  account TEXT NOT NULL,
  alias TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed', 'expired', 'dropped')),
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  noticed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX copies_of_a_message ON copies (message);
CREATE INDEX queue_of_an_account ON copies (account, next_at, serial) WHERE state = 'queued';
CREATE INDEX queue_by_time ON copies (next_at) WHERE state = 'queued';
CREATE INDEX queue_by_age ON copies (created_at) WHERE state = 'queued';

-- Messages with a body that nobody needs any more.
CREATE TABLE finished (message TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TRIGGER copy_finished AFTER UPDATE OF state ON copies
WHEN NEW.state <> 'queued'
  AND NOT EXISTS (SELECT 1 FROM copies WHERE message = NEW.message AND state = 'queued')
  AND EXISTS (SELECT 1 FROM bodies WHERE message = NEW.message)
BEGIN
  INSERT OR IGNORE INTO finished VALUES (NEW.message);
END;
CREATE TRIGGER copy_queued_again AFTER UPDATE OF state ON copies WHEN NEW.state = 'queued' BEGIN
  DELETE FROM finished WHERE message = NEW.message;
END;

-- In the order in which they became known. Those of copies without an alias are told from the beginning.
CREATE TABLE outcomes (
  serial INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  copy TEXT NOT NULL REFERENCES copies (id),
  outcome TEXT NOT NULL,
  at INTEGER NOT NULL,
  told INTEGER NOT NULL
) STRICT;
CREATE INDEX outcomes_of_a_copy ON outcomes (copy);
CREATE INDEX untold ON outcomes (serial) WHERE told = 0;
