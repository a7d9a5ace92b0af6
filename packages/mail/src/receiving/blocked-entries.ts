import { EmailAddress, LoggedMessage } from "@postern/core";

/** How long after a message others like it are logged as one with it, in milliseconds: a minute. */
const TOGETHER = 60_000;

/** How many entries are remembered at the same time. */
const MOST_ENTRIES = 10_000;

/** Messages with the same kind are logged as one. */
const kindOf = ({ account, alias, blocked, contact }: LoggedMessage): string =>
  JSON.stringify([account, alias, blocked, contact && EmailAddress.domain(contact).toLowerCase()]);

/**
 * Returns the entry to log for a message that was blocked: its own, or a later revision of that of another one like it, which counts this one
 * too. So whoever sends the same in vain, any number of times, does not fill the log. Servers do not know of each other's entries.
 */
export const blockedEntries = () => {
  /** By kind, the one that arrived first first. */
  const recent = new Map<string, LoggedMessage>();

  const forgetBefore = (time: number): void => {
    for (const [kind, { at }] of recent) {
      if (at > time && recent.size < MOST_ENTRIES) break;
      recent.delete(kind);
    }
  };

  return (message: LoggedMessage): LoggedMessage => {
    forgetBefore(message.at - TOGETHER);
    const kind = kindOf(message);
    const before = recent.get(kind);
    const entry = before === undefined ? message : LoggedMessage.repeated(before);
    recent.set(kind, entry);
    return entry;
  };
};
