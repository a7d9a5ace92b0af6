/*
 * What is stored before anything is measured, the same for every contender: accounts, each with recipients that are
 * verified and active, one more that is not verified, and aliases that forward to the first recipients. Plain data, which
 * each contender stores in its own form.
 */

/** How much there is of everything. */
export type Fixture = {
  readonly accounts: number;
  /** For each account. */
  readonly aliases: number;
  /** For each account; more than are attached to an alias, so that others can be attached instead. */
  readonly recipients: number;
  /** For each alias. */
  readonly attached: number;
};

export type FixtureRecipient = {
  readonly account: string;
  readonly id: string;
  readonly email: string;
  readonly verified: boolean;
};

export type FixtureAlias = {
  readonly account: string;
  readonly id: string;
  readonly email: string;
  readonly description: string;
  readonly recipients: readonly FixtureRecipient[];
};

/** When everything was created, in epoch milliseconds. */
export const CREATED_AT = 1_767_225_600_000;

export const DOMAIN = "alias.example.com";

/** An id as long as the UUIDs of the server, in the order of `n`. */
const idOf = (kind: string, n: number): string =>
  `${kind}00000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

export const accountName = (n: number): string => idOf("acc", n);

const WORDS = ["news", "bank", "school", "travel", "garden", "music", "invoice"] as const;

export const recipientAt = (account: number, n: number): FixtureRecipient => ({
  account: accountName(account),
  id: idOf("rec", n),
  email: `person-${n}@mailbox-${account}.example`,
  verified: true,
});

/** The recipient of an account that must be refused. */
export const unverifiedAt = (account: number): FixtureRecipient => ({
  ...recipientAt(account, 999_999),
  verified: false,
});

export const aliasAt = ({ attached }: Fixture, account: number, n: number): FixtureAlias => ({
  account: accountName(account),
  id: idOf("a1a", n),
  // Not in the order of the ids: a search for an address is not a search for the newest alias.
  email: `${((n * 7919) % 1_000_003).toString(36).padStart(4, "0")}-${account}@${DOMAIN}`,
  description: `${WORDS[n % WORDS.length]} number ${n}`,
  recipients: Array.from({ length: attached }, (_, each) => recipientAt(account, each)),
});

export const recipientsOf = function* ({ accounts, recipients }: Fixture): Generator<FixtureRecipient> {
  for (let account = 0; account < accounts; account += 1) {
    for (let n = 0; n < recipients; n += 1) yield recipientAt(account, n);
    yield unverifiedAt(account);
  }
};

export const aliasesOf = function* (fixture: Fixture): Generator<FixtureAlias> {
  for (let account = 0; account < fixture.accounts; account += 1) {
    for (let n = 0; n < fixture.aliases; n += 1) yield aliasAt(fixture, account, n);
  }
};
