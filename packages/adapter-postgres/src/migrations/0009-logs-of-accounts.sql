-- To find the oldest messages of an account.
CREATE INDEX logged_messages_of_account ON logged_messages (account, at, id, alias_id);
