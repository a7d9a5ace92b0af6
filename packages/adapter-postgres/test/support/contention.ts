import { Client } from "pg";
import { expect, onTestFinished } from "vitest";

const connect = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

/** Makes another program run a statement in a transaction, which the returned function undoes. */
export const hold = async (
  url: string,
  text: string,
  ...values: readonly unknown[]
): Promise<() => Promise<void>> => {
  const client = await connect(url);
  await client.query("BEGIN");
  await client.query(text, [...values]);
  return async () => {
    await client.query("ROLLBACK");
  };
};

/** Waits until this many statements of stores wait for a lock. */
export const untilWaiting = async (url: string, count: number): Promise<void> => {
  const client = await connect(url);
  const waiting =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'postern' AND wait_event_type = 'Lock'";
  await expect.poll(async () => (await client.query(waiting)).rows).toHaveLength(count);
};

/** Makes the statement take 20 ms longer for each row of the table, so that several at the same time get in each other's way. */
export const delay = async (url: string, statement: "INSERT" | "UPDATE", table: string): Promise<void> => {
  const client = await connect(url);
  await client.query(
    `CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END';
    CREATE TRIGGER delay BEFORE ${statement} ON ${table} FOR EACH ROW EXECUTE FUNCTION delay()`,
  );
};
