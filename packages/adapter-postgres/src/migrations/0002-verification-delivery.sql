-- What is known of a verification message that was not handed over for sending, or was refused afterwards.
ALTER TABLE recipients ADD COLUMN verification_delivery text COLLATE "C"
  CHECK (verification_delivery IN ('queued', 'refused', 'expired'));
