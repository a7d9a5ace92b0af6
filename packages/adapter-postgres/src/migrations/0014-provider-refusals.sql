-- Why the provider of outgoing mail did not send a verification message.
ALTER TABLE recipients
  DROP CONSTRAINT recipients_verification_delivery_check,
  ADD CONSTRAINT recipients_verification_delivery_check CHECK (
    verification_delivery IN ('queued', 'refused', 'expired', 'sending_paused', 'sender_refused', 'message_rejected')
  );
