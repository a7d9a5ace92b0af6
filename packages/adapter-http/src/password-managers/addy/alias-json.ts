import { type Alias, EmailAddress } from "@postern/core";

/** As addy.io writes times, in UTC. */
const time = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

/** An alias as addy.io's API shows it. What Postern has no equivalent of is empty. */
export const aliasJson = (alias: Alias) => ({
  id: alias.id,
  email: alias.email,
  local_part: EmailAddress.localPart(alias.email),
  domain: EmailAddress.domain(alias.email),
  extension: null,
  description: alias.description === "" ? null : alias.description,
  active: alias.active,
  pinned: false,
  from_name: null,
  emails_forwarded: alias.tallies.sent.count,
  emails_blocked: alias.tallies.blocked.count,
  emails_replied: alias.tallies.replied.count,
  emails_sent: 0,
  recipients: alias.destinations.map(({ recipientId, email }) => ({ id: recipientId, email })),
  created_at: time(alias.createdAt),
  updated_at: time(alias.updatedAt),
  deleted_at: alias.deletedAt === null ? null : time(alias.deletedAt),
});
