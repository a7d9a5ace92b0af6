import { err, ok, type Result } from "neverthrow";
import { type AccountLimits, parseAccountLimits } from "./account/limits.ts";
import { rememberedSuspensions } from "./account/remembered-suspensions.ts";
import { resumeAccount } from "./account/resume-account.ts";
import { suspendAccount } from "./account/suspend-account.ts";
import { parseReservedNames } from "./alias/address/reserved-names.ts";
import { createAlias } from "./alias/create-alias.ts";
import { deleteAlias } from "./alias/delete-alias.ts";
import { eraseAlias } from "./alias/erase-alias.ts";
import { getAlias } from "./alias/get-alias.ts";
import { listAliases } from "./alias/list-aliases.ts";
import { reassignRecipient } from "./alias/reassign-recipient.ts";
import { recordMailOutcome } from "./alias/record-mail-outcome.ts";
import { replaceRecipients } from "./alias/replace-recipients.ts";
import { resolveAlias } from "./alias/resolve-alias.ts";
import { restoreAlias } from "./alias/restore-alias.ts";
import { updateAlias } from "./alias/update-alias.ts";
import { updateAliasRules } from "./alias/update-alias-rules.ts";
import { eraseAccount } from "./erase-account.ts";
import type { AccountSuspended, Unavailable } from "./errors.ts";
import { getMessage } from "./message-log/get-message.ts";
import { listMessages } from "./message-log/list-messages.ts";
import { resendMessage } from "./message-log/resend-message.ts";
import { type Admission, admitted, type Operation } from "./operation/operation.ts";
import type { OnRetry } from "./operation/retry-on-conflict.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { OnUnreported } from "./ports/port-result.ts";
import type { Secrets } from "./ports/secrets.ts";
import { addRecipient } from "./recipient/add-recipient.ts";
import { adoptRecipient } from "./recipient/adopt-recipient.ts";
import { deleteRecipient } from "./recipient/delete-recipient.ts";
import { getRecipient } from "./recipient/get-recipient.ts";
import { listRecipients } from "./recipient/list-recipients.ts";
import { releaseMailbox } from "./recipient/release-mailbox.ts";
import { resendVerification } from "./recipient/resend-verification.ts";
import { suppressMailbox } from "./recipient/suppress-mailbox.ts";
import { updateRecipient } from "./recipient/update-recipient.ts";
import type { VerificationMail } from "./recipient/verification-mail.ts";
import { verifyRecipient } from "./recipient/verify-recipient.ts";
import { blockSender } from "./senders/block-sender.ts";
import { createContact } from "./senders/create-contact.ts";
import { getContact } from "./senders/get-contact.ts";
import { listBlockedSenders } from "./senders/list-blocked-senders.ts";
import { listContacts } from "./senders/list-contacts.ts";
import { unblockSender } from "./senders/unblock-sender.ts";
import { updateContact } from "./senders/update-contact.ts";
import type { Store } from "./store.ts";
import { parseAliasDomains } from "./values/alias-domains.ts";
import { configured } from "./values/configured.ts";
import { announcedAliases } from "./webhook/announce-changes.ts";
import { createWebhook } from "./webhook/create-webhook.ts";
import { deleteWebhook } from "./webhook/delete-webhook.ts";
import { getWebhook } from "./webhook/get-webhook.ts";
import { listWebhooks } from "./webhook/list-webhooks.ts";
import { rememberedWebhooks } from "./webhook/remembered-webhooks.ts";
import { testWebhook } from "./webhook/test-webhook.ts";
import { updateWebhook } from "./webhook/update-webhook.ts";
import type { WebhookSending } from "./webhook/webhook-sending.ts";

/** Everything that Postern needs from its environment. */
export type Ports = {
  readonly store: Omit<Store, "accounts">;
  /** The domains whose addresses are aliases, such as `["alias.example"]`; generated addresses are on the first. */
  readonly aliasDomains: readonly string[];
  /**
   * Local parts that accounts cannot choose for aliases, such as `["billing"]`, in addition to those that are always
   * reserved (`admin`, `postmaster`, `noreply` and similar). If your service sends mail from an alias domain, include the
   * sender. None by default.
   */
  readonly reservedNames?: readonly string[] | undefined;
  readonly verificationMail: VerificationMail;
  /**
   * Sends events to webhooks. Pass the same one to `eventSending`, which must be running. Without it there are no events, and no webhook
   * can be created.
   */
  readonly webhookSending?: WebhookSending | undefined;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The limits of an account. Missing ones default to those in `DEFAULT_LIMITS`. */
  readonly limits?: { readonly [Name in keyof AccountLimits]?: AccountLimits[Name] | undefined } | undefined;
  /**
   * How long an operation may take, in milliseconds; 2,000 by default. One that would take longer, because the store is slow or others keep
   * changing the same data, fails with `unavailable`. Sending a verification message has its own timeout on top of this one, and
   * `eraseAccount` has one for each item that it erases.
   */
  readonly timeoutMs?: number | undefined;
  /** Ignored by default. */
  readonly onRetry?: OnRetry | undefined;
  /** Ignored by default. */
  readonly onUnreported?: OnUnreported | undefined;
};

type RequiredPort = { [Name in keyof Ports]-?: undefined extends Ports[Name] ? never : Name }[keyof Ports];

const REQUIRED_PORTS: Readonly<Record<RequiredPort, true>> = {
  store: true,
  aliasDomains: true,
  verificationMail: true,
  secrets: true,
  clock: true,
  ids: true,
};

const STORE_PORTS: Readonly<Record<keyof Ports["store"], true>> = {
  aliases: true,
  recipients: true,
  contacts: true,
  blockedSenders: true,
  messageLog: true,
  resends: true,
  webhooks: true,
  outbox: true,
  mailLedger: true,
  suspensions: true,
  ping: true,
};

const missingFrom = (given: object, required: object, prefix = ""): readonly string[] =>
  Object.keys(required)
    .filter((name) => (Reflect.get(given, name) ?? null) === null)
    .map((name) => prefix + name);

/** What callers pass if they forgot to call, await or unwrap the function that opens a store. */
const insteadOfStore = (given: object): string | null => {
  if (typeof given === "function") return "a function that opens one: call it";
  if ("then" in given) return "a promise of one: await it";
  return "isErr" in given ? "a Result: check isErr() and pass its value" : null;
};

/** For callers without type checking: otherwise a missing port would only show when the first operation that needs it rejects. */
const requirePorts = (ports: Partial<Ports> = {}): void => {
  const { store, verificationMail } = ports;
  const instead = store && insteadOfStore(store);
  if (instead) throw new TypeError(`postern needs a store, not ${instead}`);
  const missing = [
    ...missingFrom(ports, REQUIRED_PORTS),
    ...(store ? missingFrom(store, STORE_PORTS, "store.") : []),
    ...(verificationMail && typeof verificationMail.send !== "function" ? ["verificationMail.send"] : []),
  ];
  if (missing.length > 0) throw new TypeError(`postern needs the ports ${missing.join(", ")}`);
};

/**
 * All operations, on one set of ports. On Node, `nodePorts` of `@postern/node` supplies `clock`, `ids` and `secrets`;
 * in tests, `testPorts` of `@postern/core/testing` supplies everything but the store.
 *
 * No operation rejects unless a port throws or rejects: failures are values (`Result`). `throwing` is for callers who prefer exceptions.
 *
 * While an account is suspended (`suspendAccount`), everything that it does itself fails with `account_suspended`: all operations on its
 * aliases, recipients, contacts, messages, blocked senders and webhooks, except `eraseAlias`, which is for the operator. Whether an account
 * is suspended is cached for 10 seconds.
 *
 * @throws TypeError if a port is missing, `aliasDomains` is empty or not a list of domain names, a reserved name is not a
 *   name, a limit is not a whole number, or `timeoutMs` is not a positive number
 * @example
 * ```ts
 * const service = postern({
 *   store: memoryStore(),
 *   aliasDomains: ["alias.example"],
 *   verificationMail: smtpMail({ url, from, publicUrl }),
 *   ...nodePorts({ linkSecrets: [secret] }),
 * });
 * const created = await service.createAlias({ account, recipientIds: [home] });
 * ```
 */
export const postern = (all: Ports) => {
  requirePorts(all);
  const { store, aliasDomains, reservedNames = [], limits = {}, ...others } = all;
  if (others.timeoutMs !== undefined && !(others.timeoutMs > 0)) {
    throw new TypeError("timeoutMs must be a positive number of milliseconds");
  }
  const { recipients, contacts, blockedSenders, messageLog, resends, mailLedger, outbox } = store;
  const suspensions = rememberedSuspensions(store.suspensions, all.clock);
  const webhooks = rememberedWebhooks(store.webhooks, all.clock);
  const ports = {
    ...others,
    aliases:
      all.webhookSending === undefined
        ? store.aliases
        : announcedAliases(store.aliases, { webhooks, suspensions, outbox, clock: all.clock }),
    recipients,
    contacts,
    blockedSenders,
    messageLog,
    resends,
    webhooks,
    mailLedger,
    suspensions,
    aliasDomains: configured("aliasDomains", parseAliasDomains(aliasDomains)),
    reservedNames: configured("reservedNames", parseReservedNames(reservedNames)),
    limits: configured("limits", parseAccountLimits(limits)),
  };
  const admission: Admission<AccountSuspended | Unavailable> = {
    isAdmitted: suspensions.isKnownActive,
    admit: async (account, timeLeft) => {
      const suspendedSince = await suspensions.find(account, timeLeft());
      if (suspendedSince.isErr()) return err(suspendedSince.error);
      return suspendedSince.value === null ? ok() : err({ code: "account_suspended" });
    },
  };
  /** For operations that an account performs itself. A suspended account cannot perform them. */
  const own = <Input extends { readonly account: string }, Value, Failure>(
    operation: Operation<Input, Value, Failure>,
  ) => admitted<Input, Value, Failure, AccountSuspended | Unavailable>(operation, admission, ports);
  return {
    replaceRecipients: own(replaceRecipients(ports)),
    createAlias: own(createAlias(ports)),
    getAlias: own(getAlias(ports)),
    listAliases: own(listAliases(ports)),
    updateAlias: own(updateAlias(ports)),
    updateAliasRules: own(updateAliasRules(ports)),
    deleteAlias: own(deleteAlias(ports)),
    restoreAlias: own(restoreAlias(ports)),
    resolveAlias: resolveAlias(ports),
    recordMailOutcome: recordMailOutcome(ports),
    eraseAlias: eraseAlias(ports),
    addRecipient: own(addRecipient(ports)),
    adoptRecipient: own(adoptRecipient(ports)),
    verifyRecipient: verifyRecipient(ports),
    resendVerification: own(resendVerification(ports)),
    suppressMailbox: suppressMailbox(ports),
    releaseMailbox: releaseMailbox(ports),
    getRecipient: own(getRecipient(ports)),
    listRecipients: own(listRecipients(ports)),
    updateRecipient: own(updateRecipient(ports)),
    deleteRecipient: own(deleteRecipient(ports)),
    reassignRecipient: own(reassignRecipient(ports)),
    createContact: own(createContact(ports)),
    getContact: own(getContact(ports)),
    listContacts: own(listContacts(ports)),
    updateContact: own(updateContact(ports)),
    blockSender: own(blockSender(ports)),
    unblockSender: own(unblockSender(ports)),
    listBlockedSenders: own(listBlockedSenders(ports)),
    listMessages: own(listMessages(ports)),
    getMessage: own(getMessage(ports)),
    resendMessage: own(resendMessage(ports)),
    createWebhook: own(createWebhook(ports)),
    getWebhook: own(getWebhook(ports)),
    listWebhooks: own(listWebhooks(ports)),
    updateWebhook: own(updateWebhook(ports)),
    deleteWebhook: own(deleteWebhook(ports)),
    testWebhook: own(testWebhook(ports)),
    suspendAccount: suspendAccount(ports),
    resumeAccount: resumeAccount(ports),
    eraseAccount: eraseAccount(ports),
    /** Checks that the store can be read and written; otherwise `unavailable`. Each call writes to the store. */
    ping: () => store.ping(),
  };
};

export type Postern = ReturnType<typeof postern>;

/**
 * Every failure that an operation of the service returns, for a `switch` over its `code` or for your own signatures.
 *
 * The types named after a use case, such as `ReplaceRecipientsError`, cover the failures of the use case alone: in the service, most use
 * cases can also fail with `account_suspended`.
 *
 * @example
 * ```ts
 * const statusOf = ({ code }: FailureOf<"eraseAlias">): number => {
 *   switch (code) {
 *     case "invalid_request":
 *       return 400;
 *     case "alias_not_found":
 *       return 404;
 *     case "unavailable":
 *       return 503;
 *   }
 * };
 * ```
 */
export type FailureOf<Name extends keyof Postern> =
  Awaited<ReturnType<Postern[Name]>> extends Result<unknown, infer Failure> ? Failure : never;
