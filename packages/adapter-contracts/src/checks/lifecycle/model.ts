import type {
  AcceptFrom,
  AccountId,
  AccountLimits,
  AliasId,
  ApiKey,
  Blocking,
  Ineligibility,
  LoggedMessage,
  MailOutcome,
  RecipientId,
  Webhook,
} from "@postern/core";

/** The expected content of a store, as plain data of two accounts. */
export type Model = {
  readonly accounts: readonly AccountId[];
  readonly limits: AccountLimits;
  readonly recipients: ModelRecipient[];
  readonly aliases: ModelAlias[];
  readonly blockedSenders: ModelBlockedSender[];
  readonly webhooks: Webhook[];
  readonly apiKeys: ModelApiKey[];
  /** The secrets of API keys that there are no longer. */
  readonly revoked: string[];
  /** What was created with idempotency keys. */
  readonly creations: ModelCreation[];
  /** Only their addresses remain, and stay taken. */
  readonly erased: Pick<ModelAlias, "account" | "id" | "email">[];
  /** The verification messages sent, oldest first. They outlive their recipients. */
  readonly messages: ModelMessage[];
  /** The mailboxes that get no more messages. */
  readonly suppressed: Set<string>;
};

export type ModelRecipient = {
  readonly account: AccountId;
  readonly id: RecipientId;
  readonly email: string;
  /** The messages sent to it, oldest first. Only the link in the newest one may work. */
  readonly messages: ModelMessage[];
  verifiedAt: number | null;
  active: boolean;
};

export type ModelAlias = {
  readonly account: AccountId;
  readonly id: AliasId;
  readonly email: string;
  /** Oldest first. */
  readonly contacts: ModelContact[];
  /** Its log, in any order. */
  readonly messages: LoggedMessage[];
  readonly events: Map<string, { readonly outcome: MailOutcome; readonly at: number }>;
  destinations: readonly { readonly recipientId: RecipientId; readonly email: string }[];
  description: string;
  website: string;
  active: boolean;
  rules: ModelRules;
  version: number;
  updatedAt: number;
  deletedAt: number | null;
};

export type ModelRules = {
  readonly acceptFrom: AcceptFrom;
  readonly senders: readonly string[];
  readonly activeUntil: number | null;
  readonly messagesLeft: number | null;
};

export type ModelContact = {
  readonly email: string;
  readonly createdAt: number;
  readonly reverseAddress: string;
  blocking: Blocking;
};

/** The id of the contact, which is part of its reverse address. */
export const idOf = ({ reverseAddress }: Pick<ModelContact, "reverseAddress">): string =>
  reverseAddress.slice(2, 28);

type ModelBlockedSender = {
  readonly account: AccountId;
  readonly id: string;
  readonly sender: string;
  readonly createdAt: number;
};

type ModelApiKey = Omit<ApiKey, "lastUse"> & { readonly secret: string; lastUse: ApiKey["lastUse"] };

type ModelCreation = {
  readonly account: AccountId;
  readonly key: string;
  /** What was asked for, as JSON. */
  readonly asked: string;
  readonly id: string;
  readonly at: number;
};

type ModelMessage = {
  readonly account: AccountId;
  readonly mailbox: string;
  readonly token: string;
  readonly sentAt: number;
};

/** A model of two empty accounts. */
export const emptyModel = (accounts: readonly AccountId[], limits: AccountLimits): Model => ({
  accounts,
  limits,
  recipients: [],
  aliases: [],
  blockedSenders: [],
  webhooks: [],
  apiKeys: [],
  revoked: [],
  creations: [],
  erased: [],
  messages: [],
  suppressed: new Set(),
});

const DAY = 24 * 60 * 60 * 1000;

/** What the account created with the key in the last 24 hours. */
export const createdWith = (
  model: Model,
  account: AccountId,
  key: string | undefined,
  now: number,
): ModelCreation | undefined =>
  model.creations.find((each) => each.account === account && each.key === key && each.at > now - DAY);

export const rememberCreation = (
  model: Model,
  { key, ...creation }: Omit<ModelCreation, "key"> & { readonly key: string | undefined },
): void => {
  if (key === undefined) return;
  const others = model.creations.filter((each) => each.account !== creation.account || each.key !== key);
  model.creations.splice(0, model.creations.length, ...others, { key, ...creation });
};

export const ALIAS_DOMAIN = "alias.example";

/** Whether the time until which the alias accepts mail is over. */
export const isOver = ({ rules: { activeUntil } }: Pick<ModelAlias, "rules">, now: number): boolean =>
  activeUntil !== null && activeUntil <= now;

/** An id that nothing has. */
export const UNKNOWN = "unknown";

export const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(list.length, 1)];

export const accountOf = (model: Model, n: number): AccountId => {
  const account = at(model.accounts, n);
  if (account === undefined) throw new Error("the model has no accounts");
  return account;
};

/** The ids of recipients, of any account, by their index in the model; an index past the end is an unknown id. */
export const idsAt = (model: Model, picks: readonly number[]): string[] =>
  picks.map((n) => model.recipients[n]?.id ?? UNKNOWN);

/** Each run has its own addresses. */
export const aliasAddress = (model: Model, n: number): string => `${model.accounts[0]}-${n}@${ALIAS_DOMAIN}`;

/** Each run has its own mailboxes. Address 3 is a subaddress of address 0, and so the same mailbox. */
export const recipientAddress = (model: Model, n: number): string =>
  `${model.accounts[0]}-${n === 3 ? "0+news" : n}@recipient.example`;

/** Whether an account that has `count` has reached the limit. */
export const isReached = (limit: number, count: number): boolean => limit > 0 && count >= limit;

export const countIn = (account: AccountId, list: readonly { readonly account: AccountId }[]): number =>
  list.filter((each) => each.account === account).length;

export const ownRecipient = (model: Model, account: AccountId, id: string): ModelRecipient | undefined =>
  model.recipients.find((recipient) => recipient.account === account && recipient.id === id);

export const ineligibility = (recipient: ModelRecipient | undefined): Ineligibility | null => {
  if (recipient === undefined) return "unknown";
  if (recipient.verifiedAt === null) return "unverified";
  return recipient.active ? null : "inactive";
};

/** The failure for these ids, or null if all of them can be attached. */
export const refusal = (model: Model, account: AccountId, ids: readonly string[]) => {
  if (ids.length === 0) return { error: { code: "invalid_request" } };
  const recipients = [...new Set(ids)]
    .map((id) => ({ id, reason: ineligibility(ownRecipient(model, account, id)) }))
    .filter(({ reason }) => reason !== null);
  return recipients.length > 0 ? { error: { code: "recipients_ineligible", recipients } } : null;
};

export const destinationsOf = (model: Model, account: AccountId, ids: readonly string[]) =>
  [...new Set(ids)].flatMap((wanted) => {
    const recipient = ownRecipient(model, account, wanted);
    return recipient === undefined ? [] : [{ recipientId: recipient.id, email: recipient.email }];
  });

/** The live aliases that the recipient is attached to, newest first. */
export const aliasesWith = (model: Model, { account, id }: ModelRecipient): readonly ModelAlias[] =>
  model.aliases
    .filter(
      (alias) =>
        alias.account === account &&
        alias.deletedAt === null &&
        alias.destinations.some(({ recipientId }) => recipientId === id),
    )
    .reverse();

/** Applies the change, and increments the version if anything is different. */
export const apply = (alias: ModelAlias, change: Partial<ModelAlias>, now: number): void => {
  const before = new Map<string, unknown>(Object.entries(alias));
  const same = Object.entries(change).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(before.get(name)),
  );
  if (!same) Object.assign(alias, change, { version: alias.version + 1, updatedAt: now });
};

/** Removes the alias; its address stays taken. */
export const eraseFrom = (model: Model, alias: ModelAlias): void => {
  model.aliases.splice(model.aliases.indexOf(alias), 1);
  const { account, id, email } = alias;
  model.erased.push({ account, id, email });
};
