import type { EmailAddress } from "../values/email-address.ts";
import { type AccountId, type AliasId, type ContactId, compareIds } from "../values/identifiers.ts";
import { type ContactPosition, contactPosition } from "./contact-position.ts";

/** What happens to mail from a contact: it is forwarded, refused, or accepted and discarded. */
export type Blocking = (typeof BLOCKINGS)[number];
export const BLOCKINGS = ["none", "reject", "discard"] as const;

/**
 * Somebody on the other side of an alias: somebody who wrote to it, who was named in the Reply-To, To or Cc of mail to it, or whom its
 * owner wants to write to. Times are in epoch milliseconds.
 */
export type Contact = {
  /** Made when the contact is first recorded, and part of its reverse address. Unique across all accounts; never changes. */
  readonly id: ContactId;
  readonly account: AccountId;
  readonly alias: AliasId;
  /** As first recorded; unique within the alias (`EmailAddress.key`). Never changes. */
  readonly email: EmailAddress;
  readonly blocking: Blocking;
  readonly createdAt: number;
  /** When the owner of the alias first added it, in order to write to it; null if never. */
  readonly addedAt: number | null;
  /** Whether the alias knows it only because mail from others names it. Once it has written, been written to or been added, it never is. */
  readonly onlyNamed: boolean;
  /** When mail from it, or mail that names it, last arrived, to within an hour; null if never. */
  readonly lastReceivedAt: number | null;
  /** When the owner of the alias last wrote to it, to within an hour; null if never. */
  readonly lastSentAt: number | null;
  /** 1 when created, incremented by every save. Recording that it was in use leaves it unchanged. */
  readonly version: number;
};

/** The fields that a save writes. */
export type ContactSettings = Pick<Contact, "blocking" | "version">;

/** An address that an alias has exchanged mail with, or is going to. */
export type Correspondent = {
  /** The id of the contact if it is new. */
  readonly id: ContactId;
  readonly email: EmailAddress;
  /**
   * `received`: mail from the address has arrived. `named`: mail from somebody else, which names it, has arrived. `sent`: the owner of the
   * alias has written to it. `added`: its owner wants to write to it.
   */
  readonly kind: "received" | "named" | "sent" | "added";
  /** Epoch milliseconds. */
  readonly at: number;
};

/** How much later than the stored time a contact must have been in use for the new time to be stored, in milliseconds: an hour. */
const PRECISION = 60 * 60 * 1_000;

const later = (stored: number | null, recorded: number | null): number | null =>
  recorded !== null && (stored === null || recorded - stored >= PRECISION) ? recorded : stored;

export const Contact = {
  /** The new contact that this correspondent becomes. */
  of: (
    { account, id: alias }: { readonly account: AccountId; readonly id: AliasId },
    { id, email, kind, at }: Correspondent,
  ): Contact => ({
    id,
    account,
    alias,
    email,
    blocking: "none",
    createdAt: at,
    addedAt: kind === "added" ? at : null,
    onlyNamed: kind === "named",
    lastReceivedAt: kind === "received" || kind === "named" ? at : null,
    lastSentAt: kind === "sent" ? at : null,
    version: 1,
  }),

  /**
   * The stored contact after it was recorded again. Returns the same object if there is nothing to store, so somebody who writes often causes
   * one write an hour.
   */
  note: (stored: Contact, recorded: Contact): Contact => {
    const addedAt = stored.addedAt ?? recorded.addedAt;
    const onlyNamed = stored.onlyNamed && recorded.onlyNamed;
    const lastReceivedAt = later(stored.lastReceivedAt, recorded.lastReceivedAt);
    const lastSentAt = later(stored.lastSentAt, recorded.lastSentAt);
    const same =
      addedAt === stored.addedAt &&
      onlyNamed === stored.onlyNamed &&
      lastReceivedAt === stored.lastReceivedAt &&
      lastSentAt === stored.lastSentAt;
    return same ? stored : { ...stored, addedAt, onlyNamed, lastReceivedAt, lastSentAt };
  },

  /** The contact with this blocking; the same object if it already has it. */
  block: (contact: Contact, blocking: Blocking): Contact =>
    blocking === contact.blocking ? contact : { ...contact, blocking, version: contact.version + 1 },

  /**
   * Whether the contact may be removed to make room for another: nobody has written to it, wants to write to it or has blocked it. Such a
   * contact always has a `lastReceivedAt`.
   */
  isEvictable: ({ blocking, addedAt, lastSentAt }: Contact): boolean =>
    blocking === "none" && addedAt === null && lastSentAt === null,

  /** The evictable contacts in the order in which they are evicted: those that were only named first, the least recently used ones first. */
  inOrderOfEviction: (contacts: readonly Contact[]): readonly Contact[] =>
    contacts
      .filter(Contact.isEvictable)
      .sort(
        (a, b) =>
          Number(b.onlyNamed) - Number(a.onlyNamed) ||
          (a.lastReceivedAt ?? 0) - (b.lastReceivedAt ?? 0) ||
          compareIds(Contact.position(a), Contact.position(b)),
      ),

  /** Where the contact is in the list of its alias: later ones have greater positions (`compareIds`). */
  position: ({ createdAt, id }: Contact): ContactPosition => contactPosition(createdAt, id),
};
