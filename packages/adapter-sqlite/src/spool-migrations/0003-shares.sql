-- How much of the limit the messages take up that have queued copies: of each account, and all together.
CREATE TABLE shares (account TEXT PRIMARY KEY, octets INTEGER NOT NULL) STRICT, WITHOUT ROWID;
ALTER TABLE total ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;

INSERT INTO shares
  SELECT account, sum(octets) FROM (SELECT DISTINCT message, account FROM copies WHERE state = 'queued')
  JOIN bodies USING (message) GROUP BY account;
UPDATE total SET waiting = (
  SELECT coalesce(sum(octets), 0) FROM bodies
  WHERE EXISTS (SELECT 1 FROM copies WHERE message = bodies.message AND state = 'queued')
);

-- A message counts once for an account, however many copies of it the account has.
CREATE TRIGGER copy_waits AFTER INSERT ON copies WHEN NEW.state = 'queued' BEGIN
  INSERT INTO shares
    SELECT NEW.account, octets FROM bodies WHERE message = NEW.message AND NOT EXISTS (
      SELECT 1 FROM copies
      WHERE message = NEW.message AND account = NEW.account AND state = 'queued' AND serial <> NEW.serial
    )
    ON CONFLICT DO UPDATE SET octets = octets + excluded.octets;
  UPDATE total SET waiting = waiting + coalesce((SELECT octets FROM bodies WHERE message = NEW.message), 0)
    WHERE NOT EXISTS (
      SELECT 1 FROM copies WHERE message = NEW.message AND state = 'queued' AND serial <> NEW.serial
    );
END;
CREATE TRIGGER copy_waits_again AFTER UPDATE OF state ON copies
WHEN NEW.state = 'queued' AND OLD.state <> 'queued' BEGIN
  INSERT INTO shares
    SELECT NEW.account, octets FROM bodies WHERE message = NEW.message AND NOT EXISTS (
      SELECT 1 FROM copies
      WHERE message = NEW.message AND account = NEW.account AND state = 'queued' AND serial <> NEW.serial
    )
    ON CONFLICT DO UPDATE SET octets = octets + excluded.octets;
  UPDATE total SET waiting = waiting + coalesce((SELECT octets FROM bodies WHERE message = NEW.message), 0)
    WHERE NOT EXISTS (
      SELECT 1 FROM copies WHERE message = NEW.message AND state = 'queued' AND serial <> NEW.serial
    );
END;
CREATE TRIGGER copy_waits_no_more AFTER UPDATE OF state ON copies
WHEN NEW.state <> 'queued' AND OLD.state = 'queued' BEGIN
  UPDATE shares SET octets = octets - coalesce((SELECT octets FROM bodies WHERE message = NEW.message), 0)
    WHERE account = NEW.account AND NOT EXISTS (
      SELECT 1 FROM copies WHERE message = NEW.message AND account = NEW.account AND state = 'queued'
    );
  DELETE FROM shares WHERE account = NEW.account AND octets <= 0;
  UPDATE total SET waiting = waiting - coalesce((SELECT octets FROM bodies WHERE message = NEW.message), 0)
    WHERE NOT EXISTS (SELECT 1 FROM copies WHERE message = NEW.message AND state = 'queued');
END;
