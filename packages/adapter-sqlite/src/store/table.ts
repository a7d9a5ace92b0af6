import type { SQLInputValue } from "node:sqlite";

/** A column, and how to get its value from an `Owner`. */
type Column<Owner> = readonly [name: string, value: (owner: Owner) => SQLInputValue];

/** One column for each field: a missing one does not compile. */
export type Columns<Owner, Fields extends keyof Owner> = Readonly<Record<Fields, Column<Owner>>>;

type Values = Readonly<Record<string, SQLInputValue>>;

/** The statements that write to a table, and the values of their parameters. */
export type Table<Owner> = {
  /** Inserts a row, or changes nothing if one of its keys is in use. */
  readonly insert: string;
  /** Updates the settings of a row if its version is that of `before`. Conditions can be appended. */
  readonly update: string;
  /** Like `update`, with the same values, but changes nothing if one of these columns would change. */
  updateExcept(columns: readonly string[]): string;
  inserted(owner: Owner): Values;
  updated(before: Owner, after: Owner): Values;
};

type Versioned = { readonly account: string; readonly id: string; readonly version: number };

/** The table `name`. The columns `identity` never change; a save writes the columns `settings`. */
export const table = <Owner extends Versioned>(
  name: string,
  identity: Readonly<Record<string, Column<Owner>>>,
  settings: Readonly<Record<string, Column<Owner>>>,
): Table<Owner> => {
  const written = Object.values(settings);
  const all = [...Object.values(identity), ...written];
  const names = all.map(([column]) => column);
  const updateExcept = (columns: readonly string[]): string => {
    const changed = written.map(([column]) => column).filter((column) => !columns.includes(column));
    const same = columns.map((column) => ` AND ${column} IS :${column}`);
    return `
      UPDATE ${name} SET ${changed.map((column) => `${column} = :${column}`).join(", ")}
      WHERE account = :account AND id = :id AND version = :stored_version${same.join("")}`;
  };
  const valuesOf = (columns: readonly Column<Owner>[], owner: Owner): Values =>
    Object.fromEntries(columns.map(([column, value]) => [column, value(owner)]));

  return {
    insert: `
      INSERT INTO ${name} (${names.join(", ")}) VALUES (:${names.join(", :")}) ON CONFLICT DO NOTHING`,
    update: updateExcept([]),
    updateExcept,
    inserted: (owner) => valuesOf(all, owner),
    updated: (before, after) => ({
      ...valuesOf(written, after),
      account: before.account,
      id: before.id,
      stored_version: before.version,
    }),
  };
};
