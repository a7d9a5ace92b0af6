import type { DatabaseSync, StatementSync } from "node:sqlite";

/** The prepared statement with this text. Each text is prepared once and then reused. */
export type Sql = (text: string) => StatementSync;

export const preparedSql = (db: DatabaseSync): Sql => {
  const statements = new Map<string, StatementSync>();
  return (text) => {
    const statement = statements.get(text) ?? db.prepare(text);
    statements.set(text, statement);
    return statement;
  };
};
