/** A column, and how to get its value from an `Owner`. */
type Column<Owner> = readonly [name: string, value: (owner: Owner) => unknown];

/** One column for each field: a missing one does not compile. */
export type Columns<Owner, Fields extends keyof Owner> = Readonly<Record<Fields, Column<Owner>>>;

export type AnyColumns<Owner> = Readonly<Record<string, Column<Owner>>>;

export const namesOf = <Owner>(columns: AnyColumns<Owner>): readonly string[] =>
  Object.values(columns).map(([name]) => name);

export const valuesOf = <Owner>(columns: AnyColumns<Owner>, owner: Owner): readonly unknown[] =>
  Object.values(columns).map(([, value]) => value(owner));

/** Arguments of `json_build_object` that make an object with the fields of the columns of `table`. */
export const fieldsOf = <Owner>(columns: AnyColumns<Owner>, table: string): string =>
  Object.entries(columns)
    .map(([field, [name]]) => `'${field}', ${table}.${name}`)
    .join(", ");

/** Placeholders for `count` values, from number `first` on: `$1, $2`. */
export const placeholders = (count: number, first = 1): readonly string[] =>
  Array.from({ length: count }, (_, i) => `$${first + i}`);

/** Assignments of the values from number `first` on: `name = $4, …`. */
export const assignments = (names: readonly string[], first: number): string =>
  names.map((name, i) => `${name} = $${first + i}`).join(", ");
