-- How much is remembered of a message without a body: 0 as long as it has one. `total.history` is the sum.
ALTER TABLE messages ADD COLUMN history INTEGER NOT NULL DEFAULT 0;
ALTER TABLE total ADD COLUMN history INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER message_remembered AFTER UPDATE OF history ON messages BEGIN
  UPDATE total SET history = history + NEW.history - OLD.history;
END;
CREATE TRIGGER message_forgotten AFTER DELETE ON messages BEGIN
  UPDATE total SET history = history - OLD.history;
END;
UPDATE messages SET history = length(header) + (
  SELECT total(1024 + length(purpose)) FROM copies WHERE message = messages.id
) WHERE NOT EXISTS (SELECT 1 FROM bodies WHERE message = messages.id);
