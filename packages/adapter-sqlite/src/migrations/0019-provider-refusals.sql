-- Why the provider of outgoing mail did not send a verification message. The text of the CHECK is replaced in place, as in migration 3.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema
SET sql = replace(
  sql,
  'CHECK (verification_delivery IN (''queued'', ''refused'', ''expired''))',
  'CHECK (verification_delivery IN (''queued'', ''refused'', ''expired'', ''sending_paused'', ''sender_refused'', ''message_rejected''))'
)
WHERE type = 'table' AND name = 'recipients';

PRAGMA writable_schema = RESET;

-- Parses the schema again: if its text were damaged, the migration would fail here.
SELECT 1 FROM recipients LIMIT 0;
