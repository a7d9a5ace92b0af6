import { err, ok, type Result, type Unavailable } from "@postern/core";
import type { Difference, Repair } from "@postern/core/store";
import { type Database, readAtOnce, transact, type Write } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { deadline, tooLate } from "../send-until-deadline.ts";
import type { Key } from "../table.ts";

/** For each request, with its retries. */
export const TIMEOUT_MS = 30_000;

/** How many times a repair is attempted if the items change in between. */
const MAX_ATTEMPTS = 8;

/** What differs, and the writes that correct it, with the conditions under which they do. */
type Finding = Pick<Difference, "kind" | "stored" | "right"> & {
  readonly remedy:
    | { readonly by: "repair"; readonly writes: readonly Write[] }
    | { readonly by: "operator"; readonly action: string; readonly detach: readonly Write[] | null };
};

/** Whether some items agree. It is raised by items that may have been read at different moments, and answered as of one moment. */
export type Question = Pick<Difference, "account" | "alias" | "recipient"> & {
  /** At most 100. */
  readonly keys: readonly Key[];
  /** What differs between the items at `keys`; null if nothing does. */
  readonly judge: (items: readonly (StoredItem | undefined)[]) => Finding | null;
};

type Chosen = (finding: Finding) => readonly Write[] | null;

const repairs: Chosen = ({ remedy }) => (remedy.by === "repair" ? remedy.writes : null);
const detaches: Chosen = ({ remedy }) => (remedy.by === "operator" ? remedy.detach : null);

/** Checks again and writes, until no other write comes in between. */
const repairing =
  (database: Database, { keys, judge }: Question, chosen: Chosen): Repair =>
  async () => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const items = await readAtOnce(database, keys, deadline(TIMEOUT_MS));
      if (items.isErr()) return err(items.error);
      const finding = judge(items.value);
      const writes = finding === null ? null : chosen(finding);
      if (writes === null) return ok("gone");
      const written = await transact(database, writes, deadline(TIMEOUT_MS));
      if (written.isOk()) return ok("repaired");
      if (written.error.code === "unavailable") return err(written.error);
    }
    return ok("busy");
  };

/** Repairs everything that differs, one after another. Returns whether anything did. */
export const settle = async (
  database: Database,
  questions: readonly Question[],
): Promise<Result<boolean, Unavailable>> => {
  let changed = false;
  for (const question of questions) {
    const repaired = await repairing(database, question, repairs)();
    if (repaired.isErr()) return err(repaired.error);
    if (repaired.value === "busy") return err(tooLate("conflicts"));
    if (repaired.value === "repaired") changed = true;
  }
  return ok(changed);
};

/** What differs at one moment; null if nothing does. */
export const ask = async (
  database: Database,
  question: Question,
): Promise<Result<Difference | null, Unavailable>> => {
  const items = await readAtOnce(database, question.keys, deadline(TIMEOUT_MS));
  if (items.isErr()) return err(items.error);
  const finding = question.judge(items.value);
  if (finding === null) return ok(null);
  const { account, alias, recipient } = question;
  const { kind, stored, right, remedy } = finding;
  return ok({
    kind,
    account,
    alias,
    recipient,
    stored,
    right,
    remedy:
      remedy.by === "repair"
        ? { by: "repair", repair: repairing(database, question, repairs) }
        : {
            by: "operator",
            action: remedy.action,
            detach: remedy.detach === null ? null : repairing(database, question, detaches),
          },
  });
};

/** Conditions about items that a transaction does not write. */
export const exists = (table: string, { pk, sk }: Key): Write => ({
  ConditionCheck: { TableName: table, Key: { pk, sk }, ConditionExpression: "attribute_exists(pk)" },
});

export const isAbsent = (table: string, { pk, sk }: Key): Write => ({
  ConditionCheck: { TableName: table, Key: { pk, sk }, ConditionExpression: "attribute_not_exists(pk)" },
});

export const hasVersion = (table: string, { pk, sk }: Key, version: number): Write => ({
  ConditionCheck: {
    TableName: table,
    Key: { pk, sk },
    ConditionExpression: "version = :version",
    ExpressionAttributeValues: { ":version": version },
  },
});

/** The parsed item; null if there is none or it does not parse, which is reported separately. */
export const parsedOrNull = <T>(
  parse: (item: StoredItem) => Result<T, unknown>,
  item: StoredItem | undefined,
): T | null => (item === undefined ? null : parse(item).unwrapOr(null));
