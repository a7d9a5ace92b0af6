import { createHash } from "node:crypto";
import type {
  CreateTableCommandInput,
  UpdateContinuousBackupsCommandInput,
  UpdateTimeToLiveCommandInput,
} from "@aws-sdk/client-dynamodb";
import { AccountId, AliasId, EmailAddress, type EventId, RecipientId } from "@postern/core";
import { z } from "zod";

/*
 * The table: its shape and every key in it. Nothing else makes a key.
 *
 * Ids are opaque text, so a key holds one id at its end, or says how long the first of two is. Account, alias and
 * recipient ids have no control characters and at most 384 bytes, so that every key fits: 2048 bytes for `pk`, 1024
 * for `sk`. Keys appear where items do not (CloudTrail, Contributor Insights, our own log): they hold
 * addresses as a SHA-256 only.
 */

export type Key = { readonly pk: string; readonly sk: string };

/** What the table has to be like, in the words that DynamoDB and CloudFormation share. */
export const TABLE = {
  BillingMode: "PAY_PER_REQUEST",
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  TimeToLiveSpecification: { AttributeName: "expires", Enabled: true },
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
} satisfies Omit<CreateTableCommandInput, "TableName"> &
  Pick<UpdateTimeToLiveCommandInput, "TimeToLiveSpecification"> &
  Pick<UpdateContinuousBackupsCommandInput, "PointInTimeRecoverySpecification">;

/** The version of how items are written. An item of another one is not understood, rather than misunderstood. */
export const SCHEMA = 1;

const ALIAS = "alias#";
const RECIPIENT = "recipient#";

const ACCOUNT = "account#";
const partition = (account: AccountId): string => `${ACCOUNT}${account}`;
const fingerprint = (email: EmailAddress): string =>
  createHash("sha256").update(EmailAddress.key(email)).digest("hex");

export const Key = {
  alias: (account: AccountId, id: AliasId): Key => ({ pk: partition(account), sk: ALIAS + id }),

  recipient: (account: AccountId, id: RecipientId): Key => ({ pk: partition(account), sk: RECIPIENT + id }),

  /** Keeps the address to one recipient of the account. */
  recipientAddress: (account: AccountId, email: EmailAddress): Key => ({
    pk: partition(account),
    sk: `recipient-address#${fingerprint(email)}`,
  }),

  /** Remembers that the event was counted. */
  event: (account: AccountId, alias: AliasId, event: EventId): Key => ({
    pk: partition(account),
    sk: `event#${alias.length}#${alias}#${event}`,
  }),

  /** Keeps the address to one alias of all accounts, and leads to it. */
  address: (email: EmailAddress): Key => ({ pk: `address#${fingerprint(email)}`, sk: "address" }),

  /** Nothing is ever there: asking for it shows whether the table answers. */
  nothing: { pk: "nothing", sk: "nothing" } satisfies Key,

  same: (a: Key, b: Key): boolean => a.pk === b.pk && a.sk === b.sk,
};

/** Items of one kind in one account, in the order of their ids (`compareIds`). */
export type Shelf<Id extends string> = {
  readonly pk: string;
  readonly prefix: string;
  readonly key: (id: Id) => Key;
  /** From the key of an item to its id. */
  readonly id: z.ZodType<Id>;
};

const idIn = (prefix: string) =>
  z.object({ sk: z.string().startsWith(prefix) }).transform(({ sk }) => sk.slice(prefix.length));

export const Shelf = {
  aliases: (account: AccountId): Shelf<AliasId> => ({
    pk: partition(account),
    prefix: ALIAS,
    key: (id) => Key.alias(account, id),
    id: idIn(ALIAS).pipe(AliasId),
  }),

  recipients: (account: AccountId): Shelf<RecipientId> => ({
    pk: partition(account),
    prefix: RECIPIENT,
    key: (id) => Key.recipient(account, id),
    id: idIn(RECIPIENT).pipe(RecipientId),
  }),
};

/** All items of one account. */
export const Partition = {
  prefix: ACCOUNT,
  /** Behind the last of them: no id holds a character as high. */
  end: (account: AccountId): Key => ({ pk: partition(account), sk: "\u{10FFFF}" }),
  /** From the key of an item to its account. */
  account: z
    .object({ pk: z.string().startsWith(ACCOUNT) })
    .transform(({ pk }) => pk.slice(ACCOUNT.length))
    .pipe(AccountId),
};
