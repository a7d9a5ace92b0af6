import { err, ok, type Result, type VerificationMail } from "@postern/core";
import type { Spool } from "@postern/mail";
import type { LogLevel } from "../observability/log.ts";
import type { MailMeasurements } from "../observability/mail-metrics.ts";
import type { CannotOpenMail, CannotReceive, MailSettings } from "./open-mail-plane.ts";

/* The calls between the main thread and the thread of the mail plane. Everything that crosses is copied. */

/** A `Result` on its way to another thread: copying strips its methods. */
export type Sent<T, E> = { readonly value: T } | { readonly error: E };
type SentResult<R> = R extends Promise<Result<infer T, infer E>> ? Promise<Sent<T, E>> : never;

export const sent = <T, E>(result: Result<T, E>): Sent<T, E> =>
  result.isOk() ? { value: result.value } : { error: result.error };

export const received = <T, E>(sent: Sent<T, E>): Result<T, E> =>
  "error" in sent ? err(sent.error) : ok(sent.value);

/** What the thread of the mail plane is started with. */
export type MailThreadData = {
  readonly settings: MailSettings;
  /** The names of the operations of the store. */
  readonly operations: readonly string[];
  /** Whether there are metrics. */
  readonly measured: boolean;
};

/** What the main thread does for the mail plane. */
export type MainCalls = MailMeasurements & {
  store(operation: string, input: readonly unknown[]): Promise<Sent<unknown, unknown>>;
  log(level: LogLevel, fields: object, message: string): void;
};

/** What the mail plane does for the main thread. It is opened before anything else is called. */
export type MailCalls = {
  open(): Promise<Sent<null, CannotOpenMail>>;
  start(): Promise<Sent<number, CannotReceive>>;
  reload(): void;
  /** Replies as soon as the thread has time to. */
  ping(): void;
  stop(graceMs: number): Promise<void>;
  size(): SentResult<ReturnType<Spool["size"]>>;
  sendVerification(
    ...message: Parameters<VerificationMail["send"]>
  ): SentResult<ReturnType<VerificationMail["send"]>>;
};
