import type { SQLInputValue } from "node:sqlite";

/** A column, and how to get its value from an `Owner`. */
type Column<Owner> = readonly [name: string, value: (owner: Owner) => SQLInputValue];

/** One column for each field: a missing one does not compile. */
export type Columns<Owner, Fields extends keyof Owner> = Readonly<Record<Fields, Column<Owner>>>;

type Values = Readonly<Record<string, SQLInputValue>>;

type Insertion<Owner> = {
  /** Inserts a row, or changes nothing if one of its keys is in use. */
  readonly insert: string;
  /** The values of its parameters. */
  inserted(owner: Owner): Values;
};

/** The statements that write to a table, and the values of their parameters. */
export type Table<Owner> = Insertion<Owner> & {
  /** Updates the settings of a row if its version is that of `before`. Conditions can be appended. */
  readonly update: string;
  /** Like `update`, with the same values, but changes nothing if one of these columns would change. */
  updateExcept(columns: readonly string[]): string;
  updated(before: Owner, after: Owner): Values;
};

type Versioned = { readonly account: string; readonly id: string; readonly version: number };

type AnyColumns<Owner> = Readonly<Record<string, Column<Owner>>>;

const valuesOf = <Owner>(columns: readonly Column<Owner>[], owner: Owner): Values =>
  Object.fromEntries(columns.map(([column, value]) => [column, value(owner)]));

/** How rows get into the table `name`. */
export const insertion = <Owner>(name: string, columns: AnyColumns<Owner>): Insertion<Owner> => {
  const all = Object.values(columns);
  const names = all.map(([column]) => column);
  return {
    insert: `
      INSERT INTO ${name} (${names.join(", ")}) VALUES (:${names.join(", :")}) ON CONFLICT DO NOTHING`,
    inserted: (owner) => valuesOf(all, owner),
  };
};

/** The table `name`. The columns `identity` never change; a save writes the columns `settings`. */
export const table = <Owner extends Versioned>(
  name: string,
  identity: AnyColumns<Owner>,
  settings: AnyColumns<Owner>,
): Table<Owner> => {
  const written = Object.values(settings);
  const updateExcept = (columns: readonly string[]): string => {
    const changed = written.map(([column]) => column).filter((column) => !columns.includes(column));
    const same = columns.map((column) => ` AND ${column} IS :${column}`);
    return `
      UPDATE ${name} SET ${changed.map((column) => `${column} = :${column}`).join(", ")}
      WHERE account = :account AND id = :id AND version = :stored_version${same.join("")}`;
  };
  return {
    ...insertion(name, { ...identity, ...settings }),
    update: updateExcept([]),
    updateExcept,
    updated: (before, after) => ({
      ...valuesOf(written, after),
      account: before.account,
      id: before.id,
      stored_version: before.version,
    }),
  };
};
