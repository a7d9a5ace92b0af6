import { setTimeout } from "node:timers/promises";
import { err, type InvalidRequest, type PortResult, type Result } from "@postern/core";

/** What the store needs from a driver. Both a `Pool` of `pg` and a `PGlite` provide it. */
export type Driver = { query(text: string, values: unknown[]): Promise<{ rows: Row[] }> };
export type Row = Readonly<Record<string, unknown>>;
export type Statement = { readonly text: string; readonly values: unknown[] };

/** A statement with a parameter for each value. */
export const sql = ([first = "", ...parts]: TemplateStringsArray, ...values: unknown[]): Statement => ({
  text: parts.reduce((text, part, i) => `${text}$${i + 1}${part}`, first),
  values,
});

export type DatabaseOptions = {
  readonly driver: Driver;
  /** The time limit of a call, in milliseconds; defaults to 2000. Its caller can set a shorter one (`timeLeft`). */
  readonly timeoutMs?: number;
  /**
   * Receives the error behind every `unavailable`; must not throw. Log its `message` and `code`: its `detail` may contain
   * an address.
   */
  readonly onError: (error: unknown) => void;
};

/** foreign_key_violation, unique_violation, serialization_failure, deadlock_detected: nothing changed. */
const REFUSALS: readonly unknown[] = ["23503", "23505", "40001", "40P01"];

/** PostgreSQL's code for the failure, or the system's. Never the message, which can quote an address. */
const reasonOf = (error: unknown): string => {
  const { code }: Row = error instanceof Error ? { ...error } : {};
  if (typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code)) return code;
  return error instanceof Error ? error.constructor.name : "failed";
};

const NO_TIME_LEFT = { code: "unavailable", cause: { source: "postgres", reason: "no time left" } } as const;

/**
 * Runs single statements, which PostgreSQL applies completely or not at all. If a constraint or a concurrent statement
 * prevents one, the failure is what `refused` returns for the constraint's name. Every other failure, including an error
 * thrown by `read`, is `unavailable`. Never rejects.
 */
export const statementRunner =
  ({ driver, timeoutMs = 2_000, onError }: DatabaseOptions) =>
  async <T, E = never, R = never>(
    timeLeft: number | undefined,
    { text, values }: Statement,
    read: (rows: readonly Row[]) => Result<T, E>,
    refused?: (constraint: unknown) => R,
  ): PortResult<T, E | R> => {
    if (timeLeft === 0) return err(NO_TIME_LEFT);
    const limit = Math.min(timeoutMs, timeLeft ?? timeoutMs);
    const done = new AbortController();
    const late = setTimeout(limit, undefined, { signal: done.signal }).then(() => {
      const message = `PostgreSQL did not respond within ${limit} ms`;
      throw Object.assign(new Error(message), { code: "ETIMEDOUT" });
    });
    try {
      return read((await Promise.race([driver.query(text, values), late])).rows);
    } catch (error) {
      const { code, constraint }: Row = error instanceof Error ? { ...error } : {};
      if (refused !== undefined && REFUSALS.includes(code)) return err(refused(constraint));
      onError(error);
      return err({ code: "unavailable", cause: { source: "postgres", reason: reasonOf(error) } });
    } finally {
      done.abort();
    }
  };

export type Parse<T> = (data: unknown) => Result<T, InvalidRequest>;

/**
 * Stored data is parsed like any other input, so that the domain only sees valid data.
 *
 * @throws Error that names the invalid fields, not their values
 */
export const parsed = <T>(parse: Parse<T>, { data }: Row): T =>
  parse(data).match(
    (value) => value,
    ({ issues }) => {
      const reasons = issues.map(({ path, reason }) => `${path.join(".")} ${reason}`);
      const message = `A stored row is corrupt: ${reasons.join("; ")}`;
      throw Object.assign(new Error(message), { code: "CORRUPT_ROW" });
    },
  );
