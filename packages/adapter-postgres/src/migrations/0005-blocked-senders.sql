-- The senders that an account has blocked (rule 9 of docs/postgres.md).
CREATE TABLE blocked_senders (
  account text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  sender text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (account, id)
);

-- Addresses and domains are ASCII, so lower() in the collation "C" is the domain's Sender.key.
CREATE UNIQUE INDEX blocked_senders_sender ON blocked_senders (account, lower(sender));

CREATE FUNCTION postern_blocked_sender_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a blocked sender never changes';
END $$;

CREATE TRIGGER blocked_sender_stays BEFORE UPDATE ON blocked_senders
FOR EACH ROW EXECUTE FUNCTION postern_blocked_sender_stays();
