/** A statement whose plan PostgreSQL may keep: `name` identifies `text` on every connection. */
export type Statement = { readonly name: string; readonly text: string };

/** A statement with values for its parameters. */
export type Query = {
  /** Absent if it is planned anew each time. */
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
};

/** @param name unique among the statements of the store */
export const statement = (name: string, text: string): Statement => ({ name: `postern_${name}`, text });

export const query = (prepared: Statement, ...values: unknown[]): Query => ({ ...prepared, values });

/** Collects the values of a statement's parameters while its text is written. */
export const parameters = () => {
  const values: unknown[] = [];
  /** Adds a value, and returns its placeholder, such as `$1`. */
  const param = (value: unknown): string => `$${values.push(value)}`;
  return { values, param };
};
