import type { Alias } from "../alias/alias.ts";
import type { Conflict } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { Recipient } from "../recipient/recipient.ts";
import type { Contact } from "../senders/contact.ts";
import type { EmailAddress } from "../values/email-address.ts";

/** At most 1,000 things to create. Those that others need, such as the recipients of an alias, can be among them. */
export type Batch = {
  /** With `attached` 0. */
  readonly recipients: readonly Recipient[];
  readonly aliases: readonly Alias[];
  readonly contacts: readonly Contact[];
  readonly retiredAddresses: readonly EmailAddress[];
};

/**
 * Creates everything in the batch, in one transaction, or nothing: `conflict` if one of them would be refused if they were created in this
 * order, without limits. An address that is already retired may be refused too. For programs that fill a store.
 */
export type CreateAll = (batch: Batch) => PortResult<void, Conflict>;
