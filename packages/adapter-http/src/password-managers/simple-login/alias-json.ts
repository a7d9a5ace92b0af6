import type { Alias } from "@postern/core";

/** Seconds since the beginning of 1970. */
const seconds = (at: number): number => Math.floor(at / 1000);

/** An alias as SimpleLogin's API shows it. What Postern has no equivalent of is switched off. */
export const aliasJson = ({ id, email, description, active, destinations, tallies, createdAt }: Alias) => {
  const mailboxes = destinations.map((destination) => ({
    id: destination.recipientId,
    email: destination.email,
  }));
  return {
    alias: email,
    email,
    id,
    name: null,
    note: description === "" ? null : description,
    enabled: active,
    creation_timestamp: seconds(createdAt),
    creation_date: new Date(createdAt).toISOString(),
    nb_forward: tallies.sent.count,
    nb_block: tallies.blocked.count,
    nb_reply: tallies.replied.count,
    mailbox: mailboxes[0],
    mailboxes,
    latest_activity: null,
    pinned: false,
    support_pgp: false,
    disable_pgp: false,
  };
};
