-- What the log of an alias says about a copy, beside its state. `reason` is a code; `delivered_at` is from the first report.
ALTER TABLE copies ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE copies ADD COLUMN reason TEXT;
ALTER TABLE copies ADD COLUMN delivered_at INTEGER;
UPDATE copies SET
  since = iif(state = 'queued', created_at, next_at),
  delivered_at = (SELECT at FROM outcomes WHERE copy = copies.id AND outcome = 'delivered');

-- The revision of each message in the log of each alias, and while that is not logged, its place in line. Messages from before
-- this table count as logged.
CREATE TABLE log (
  message TEXT NOT NULL REFERENCES messages (id),
  account TEXT NOT NULL,
  alias TEXT NOT NULL,
  revision INTEGER NOT NULL,
  place INTEGER,
  PRIMARY KEY (message, account, alias)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX unlogged ON log (place) WHERE place IS NOT NULL;

-- When the last of its copies failed that can be sent again; null if there is none.
ALTER TABLE finished ADD COLUMN failed_at INTEGER;
CREATE INDEX finished_by_failure ON finished (failed_at);
DROP TRIGGER copy_finished;
CREATE TRIGGER copy_finished AFTER UPDATE OF state ON copies
WHEN NEW.state <> 'queued'
  AND NOT EXISTS (SELECT 1 FROM copies WHERE message = NEW.message AND state = 'queued')
  AND EXISTS (SELECT 1 FROM bodies WHERE message = NEW.message)
BEGIN
  -- Copies without an alias have an empty one.
  INSERT OR REPLACE INTO finished
    SELECT NEW.message, max(since) FROM copies
    WHERE message = NEW.message AND alias <> '' AND state IN ('failed', 'expired');
END;

-- What tells this spool from those of other servers: 26 random characters of a-j and 2-7.
CREATE TABLE spool (id TEXT NOT NULL) STRICT;
INSERT INTO spool
  SELECT replace(replace(replace(replace(lower(hex(randomblob(13))), '0', 'g'), '1', 'h'), '8', 'i'), '9', 'j');
