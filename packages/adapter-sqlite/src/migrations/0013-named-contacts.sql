-- Whether the alias knows a contact only because mail from others names it. Earlier versions did not tell them apart.
ALTER TABLE contacts ADD COLUMN only_named INTEGER NOT NULL DEFAULT 0 CHECK (only_named IN (0, 1));

-- Those that can be evicted, in that order (the domain's Contact.inOrderOfEviction).
DROP INDEX contacts_by_use;
CREATE INDEX contacts_by_use ON contacts (account, alias_id, only_named DESC, last_received_at)
WHERE blocking = 'none' AND added_at IS NULL AND last_sent_at IS NULL;

-- To count those of the last hour.
CREATE INDEX contacts_named ON contacts (account, alias_id, created_at) WHERE only_named = 1;
