import type { Result } from "neverthrow";
import { type AccountLimits, parseAccountLimits } from "./account/limits.ts";
import { ownOperations } from "./account/own.ts";
import { NEVER_SUSPENDED, rememberedSuspensions } from "./account/remembered-suspensions.ts";
import { type SuspensionOperations, suspensionOperations } from "./account/suspension-operations.ts";
import { parseReservedNames } from "./alias/address/reserved-names.ts";
import { type AliasOperations, aliasOperations } from "./alias/alias-operations.ts";
import { type ApiKeyOperations, apiKeyOperations } from "./api-key/api-key-operations.ts";
import { type HasCreatedWithQuery, hasCreatedWith } from "./creation/has-created-with.ts";
import { eraseAccount } from "./erase-account.ts";
import type { AccountSuspended, Unavailable } from "./errors.ts";
import { type GetServiceQuery, getService, type ServiceOffer } from "./get-service.ts";
import { type MessageOperations, messageOperations } from "./message-log/message-operations.ts";
import type { Operation } from "./operation/operation.ts";
import type { OnRetry } from "./operation/retry-on-conflict.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { OnUnreported } from "./ports/port-result.ts";
import type { Secrets } from "./ports/secrets.ts";
import { type RecipientOperations, recipientOperations } from "./recipient/recipient-operations.ts";
import type { VerificationMail } from "./recipient/verification-mail.ts";
import {
  type BlockedSenderOperations,
  blockedSenderOperations,
} from "./senders/blocked-sender-operations.ts";
import { type ContactOperations, contactOperations } from "./senders/contact-operations.ts";
import type { AnyStore, BaseStore, Store, StoreParts } from "./store/store.ts";
import { parseAliasDomains } from "./values/alias-domains.ts";
import { configured } from "./values/configured.ts";
import type { InvalidRequest } from "./values/parse.ts";
import { announcedAliases } from "./webhook/announce-changes.ts";
import { rememberedWebhooks } from "./webhook/remembered-webhooks.ts";
import { type WebhookOperations, webhookOperations } from "./webhook/webhook-operations.ts";
import type { WebhookSending } from "./webhook/webhook-sending.ts";

/** Everything that Postern needs from its environment. */
export type Ports<S extends BaseStore = Omit<Store, "accounts">> = {
  readonly store: S;
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
  /**
   * The base address at which programs use API keys, such as `https://keys.example.com`; what is there authenticates them
   * (`authenticateApiKey`). Without it, no API key can be created.
   */
  readonly keysUrl?: string | undefined;
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

const STORE_PORTS: Readonly<Record<keyof BaseStore, true>> = {
  aliases: true,
  recipients: true,
  mailLedger: true,
  creations: true,
  ping: true,
};

const missingFrom = (given: object, required: object, prefix = ""): readonly string[] =>
  Object.keys(required)
    .filter((name) => (Reflect.get(given, name) ?? null) === null)
    .map((name) => prefix + name);

/** Ports of a store that make up one part. */
const PAIRS = [
  { messageLog: true, resends: true },
  { webhooks: true, outbox: true },
] as const;

/** What is missing from a pair of which the store has only one. */
const missingOf = (pair: object, store: object): readonly string[] => {
  const missing = missingFrom(store, pair, "store.");
  return missing.length === 1 ? missing : [];
};

/** What callers pass if they forgot to call, await or unwrap the function that opens a store. */
const insteadOfStore = (given: object): string | null => {
  if (typeof given === "function") return "a function that opens one: call it";
  if ("then" in given) return "a promise of one: await it";
  return "isErr" in given ? "a Result: check isErr() and pass its value" : null;
};

/** For callers without type checking: otherwise a missing port would only show when the first operation that needs it rejects. */
const requirePorts = (ports: Partial<Ports<AnyStore>> = {}): void => {
  const { store, verificationMail } = ports;
  const instead = store && insteadOfStore(store);
  if (instead) throw new TypeError(`postern needs a store, not ${instead}`);
  const missing = [
    ...missingFrom(ports, REQUIRED_PORTS),
    ...(store ? missingFrom(store, STORE_PORTS, "store.") : []),
    ...(store ? PAIRS.flatMap((pair) => missingOf(pair, store)) : []),
    ...(verificationMail && typeof verificationMail.send !== "function" ? ["verificationMail.send"] : []),
  ];
  if (missing.length > 0) throw new TypeError(`postern needs the ports ${missing.join(", ")}`);
};

/**
 * All operations, on one set of ports. On Node, `nodePorts` of `@postern/node` supplies `clock`, `ids` and `secrets`;
 * in tests, `testPorts` of `@postern/core/testing` supplies everything but the store.
 *
 * The type of the service follows from its store: a store without contacts, blocked senders, a message log, webhooks, API keys or
 * suspensions (`StoreParts`) makes a service without the operations on these.
 *
 * No operation rejects unless a port throws or rejects: failures are values (`Result`). `throwing` is for callers who prefer exceptions.
 *
 * While an account is suspended (`suspendAccount`), everything that it does itself fails with `account_suspended`: all operations on its
 * aliases, recipients, contacts, messages, blocked senders, webhooks and API keys, except `eraseAlias`, which is for the operator. Whether
 * an account is suspended is cached for 10 seconds.
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
export function postern<S extends BaseStore>(ports: Ports<S>): Postern<S>;
export function postern(all: Ports<AnyStore>): AnyPostern {
  requirePorts(all);
  const { store, aliasDomains, reservedNames = [], limits = {}, ...others } = all;
  if (others.timeoutMs !== undefined && !(others.timeoutMs > 0)) {
    throw new TypeError("timeoutMs must be a positive number of milliseconds");
  }
  const { clock, webhookSending } = all;
  const {
    recipients,
    contacts,
    blockedSenders,
    messageLog,
    resends,
    mailLedger,
    creations,
    outbox,
    apiKeys,
  } = store;
  const suspending = store.suspensions && rememberedSuspensions(store.suspensions, clock);
  const suspensions = suspending ?? NEVER_SUSPENDED;
  const webhooks = store.webhooks && rememberedWebhooks(store.webhooks, clock);
  const sendsEvents = webhookSending !== undefined && webhooks !== undefined && outbox !== undefined;
  const ports = {
    ...others,
    aliases: sendsEvents
      ? announcedAliases(store.aliases, { webhooks, suspensions, outbox, clock })
      : store.aliases,
    recipients,
    mailLedger,
    creations,
    suspensions,
    aliasDomains: configured("aliasDomains", parseAliasDomains(aliasDomains)),
    reservedNames: configured("reservedNames", parseReservedNames(reservedNames)),
    limits: configured("limits", parseAccountLimits(limits)),
  };
  const own = ownOperations(suspensions, ports);
  return {
    ...aliasOperations(ports, own),
    ...recipientOperations(ports, own),
    ...(contacts && contactOperations({ ...ports, contacts }, own)),
    ...(blockedSenders && blockedSenderOperations({ ...ports, blockedSenders }, own)),
    ...(messageLog && resends && messageOperations({ ...ports, contacts, messageLog, resends }, own)),
    ...(webhooks && outbox && webhookOperations({ ...ports, webhooks }, own)),
    ...(apiKeys && apiKeyOperations({ ...ports, apiKeys }, own)),
    ...(suspending && suspensionOperations({ ...ports, suspensions: suspending })),
    getService: own(getService({ ...ports, sendsEvents, keysUrl: apiKeys && others.keysUrl })),
    hasCreatedWith: own(hasCreatedWith(ports)),
    eraseAccount: eraseAccount({ ...ports, suspensions: suspending, blockedSenders, webhooks, apiKeys }),
    ping: () => store.ping(),
  };
}

/** The operations of a service on every store. */
export type BasePostern = AliasOperations &
  RecipientOperations & {
    readonly getService: Operation<
      GetServiceQuery,
      ServiceOffer,
      InvalidRequest | AccountSuspended | Unavailable
    >;
    readonly hasCreatedWith: Operation<
      HasCreatedWithQuery,
      boolean,
      InvalidRequest | AccountSuspended | Unavailable
    >;
    readonly eraseAccount: ReturnType<typeof eraseAccount>;
    /** Checks that the store can be read and written; otherwise `unavailable`. Each call writes to the store. */
    readonly ping: BaseStore["ping"];
  };

/** The operations on each part that a store can have. */
type PartOperations = {
  readonly contacts: ContactOperations;
  readonly blockedSenders: BlockedSenderOperations;
  readonly messages: MessageOperations;
  readonly webhooks: WebhookOperations;
  readonly apiKeys: ApiKeyOperations;
  readonly suspensions: SuspensionOperations;
};

/** The operations on a part, if the store has it. */
type If<S, Part extends keyof PartOperations> = S extends StoreParts[Part] ? PartOperations[Part] : unknown;

/** The operations on a store of type `S`; on one with all parts by default. */
export type Postern<S = Store> = BasePostern &
  If<S, "contacts"> &
  If<S, "blockedSenders"> &
  If<S, "messages"> &
  If<S, "webhooks"> &
  If<S, "apiKeys"> &
  If<S, "suspensions">;

/** A service on a store of any type: operations on parts that the store lacks are undefined. */
export type AnyPostern = BasePostern &
  Partial<
    ContactOperations &
      BlockedSenderOperations &
      MessageOperations &
      WebhookOperations &
      ApiKeyOperations &
      SuspensionOperations
  >;

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
