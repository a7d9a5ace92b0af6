import {
  type AccountId,
  type AliasId,
  EmailAddress,
  MAIL_OUTCOMES,
  type MailOutcome,
  ok,
} from "@postern/core";
import type { CreateAll, Tally } from "@postern/core/store";
import { aliasColumns } from "./alias-row.ts";
import { type AnyColumns, type Columns, namesOf, valuesOf } from "./columns.ts";
import { contactColumns } from "./contact-row.ts";
import type { Database } from "./database.ts";
import { recipientColumns } from "./recipient-row.ts";
import { parameters } from "./statement.ts";

type TallyOf = Tally & {
  readonly account: AccountId;
  readonly alias: AliasId;
  readonly outcome: MailOutcome;
};

const tallyColumns = {
  account: ["account", (tally) => tally.account],
  alias: ["alias_id", (tally) => tally.alias],
  outcome: ["outcome", (tally) => tally.outcome],
  count: ["count", (tally) => tally.count],
  lastAt: ["last_at", (tally) => tally.lastAt],
} satisfies Columns<TallyOf, keyof TallyOf>;

const retiredColumns = {
  key: ["key", EmailAddress.key],
} satisfies AnyColumns<EmailAddress>;

/** Triggers and foreign keys see what the whole statement has inserted. */
export const createAll =
  ({ run }: Database): CreateAll =>
  async ({ recipients, aliases, contacts, retiredAddresses }) => {
    const { values, param } = parameters();
    const insertion = <Owner>(table: string, columns: AnyColumns<Owner>, owners: readonly Owner[]) => {
      const rows = owners.map((owner) => `(${valuesOf(columns, owner).map(param).join(", ")})`);
      return rows.length === 0
        ? []
        : [`${table} AS (INSERT INTO ${table} (${namesOf(columns).join(", ")}) VALUES ${rows.join(", ")})`];
    };
    const tallies = aliases.flatMap(({ account, id: alias, tallies }) =>
      MAIL_OUTCOMES.map((outcome) => ({ account, alias, outcome, ...tallies[outcome] })),
    );
    const insertions = [
      ...insertion("recipients", recipientColumns, recipients),
      ...insertion("aliases", aliasColumns, aliases),
      ...insertion(
        "tallies",
        tallyColumns,
        tallies.filter(({ count }) => count > 0),
      ),
      ...insertion("contacts", contactColumns, contacts),
      ...insertion("addresses", retiredColumns, retiredAddresses),
    ];
    if (insertions.length === 0) return ok();
    const text = `WITH ${insertions.join(", ")} SELECT`;
    return run(
      undefined,
      { text, values },
      () => ok(),
      () => ({ code: "conflict" }) as const,
    );
  };
