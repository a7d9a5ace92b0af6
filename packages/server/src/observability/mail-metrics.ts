import type { Spool } from "@postern/core/mail";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** What an attempt made of a copy. `relay`: nothing, because the relay could not be used at all. */
export type CopyResult = (typeof COPY_RESULTS)[number];
const COPY_RESULTS = ["sent", "deferred", "relay", "failed", "expired"] as const;

/** What an operator watches of received and forwarded mail. Durations are passed in milliseconds and exported in seconds. */
export type MailMetrics = {
  /** A reply of our mail server that decided about something. `reply` is a code and a status, such as `550 5.1.1`. */
  replied(step: string, reply: string): void;
  copySettled(result: CopyResult): void;
  relayAnswered(milliseconds: number): void;
  /** A message was signed, or could not be. */
  signed(result: "ok" | "failed", milliseconds: number): void;
  /** A message is on the disk. */
  committed(milliseconds: number): void;
  /** A report about a copy was read. `kind` is what became of it, one of a few. */
  reportRead(kind: string): void;
  /** A call of the spool was `unavailable`. */
  spoolFailed(): void;
  /** From now on the size of this spool is exported. */
  watchSpool(spool: Pick<Spool, "size">, limit: number): void;
};

export const noMailMetrics: MailMetrics = {
  replied: () => {},
  copySettled: () => {},
  relayAnswered: () => {},
  signed: () => {},
  committed: () => {},
  reportRead: () => {},
  spoolFailed: () => {},
  watchSpool: () => {},
};

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Like those of `prometheusMetrics`, every series that an alert may read exists from the start. */
export const prometheusMailMetrics = (registry: Registry) => {
  const registers = [registry];
  const replies = new Counter({
    name: "postern_mail_replies_total",
    help: "Replies of the mail server to a connection, a sender, a recipient or a message that decided about it",
    labelNames: ["step", "reply"],
    registers,
  });
  for (const reply of ["250 2.0.0", "451 4.3.0", "452 4.3.1"]) replies.inc({ step: "DATA", reply }, 0);
  replies.inc({ step: "RCPT", reply: "451 4.3.0" }, 0);
  const copies = new Counter({
    name: "postern_mail_copies_total",
    help: "Attempts to send a copy of a message to one mailbox, by what became of the copy; relay means that the relay could not be used at all",
    labelNames: ["result"],
    registers,
  });
  for (const result of COPY_RESULTS) copies.inc({ result }, 0);
  const relay = new Histogram({
    name: "postern_mail_relay_duration_seconds",
    help: "From handing a copy to the relay to its answer",
    buckets: SECONDS,
    registers,
  });
  const signing = new Histogram({
    name: "postern_mail_sign_duration_seconds",
    help: "Signing a message, once for all copies of an alias",
    buckets: SECONDS,
    registers,
  });
  const unsigned = new Counter({
    name: "postern_mail_sign_failures_total",
    help: "Messages that could not be signed, so that their copies were deferred",
    registers,
  });
  const commit = new Histogram({
    name: "postern_mail_commit_duration_seconds",
    help: "Until a received message and all its copies are on the disk",
    buckets: SECONDS,
    registers,
  });
  const reports = new Counter({
    name: "postern_mail_reports_total",
    help: "Reports about copies, by what became of them",
    labelNames: ["kind"],
    registers,
  });
  const failures = new Counter({
    name: "postern_mail_spool_failures_total",
    help: "Calls of the spool that were unavailable",
    registers,
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const queued = gauge("postern_mail_queued_copies", "Copies that wait to be sent");
  const oldest = gauge(
    "postern_mail_oldest_queued_seconds",
    "How long ago the oldest message with a copy that waits was received; 0 without one",
  );
  const untold = gauge(
    "postern_mail_untold_outcomes",
    "Outcomes that are still to be counted for their aliases",
  );
  const bytes = gauge("postern_mail_spool_bytes", "What the spool holds");
  const limit = gauge("postern_mail_spool_limit_bytes", "What the spool may hold; 0 without a spool");

  let watched: Pick<Spool, "size"> | undefined;
  /** Reads the size of the spool. If it does not say, the last values stay, and the failure is counted. */
  const refresh = async (): Promise<void> => {
    if (watched === undefined) return;
    const size = await watched.size();
    if (size.isErr()) return;
    queued.set(size.value.queued);
    oldest.set(size.value.oldestAt === null ? 0 : Math.max(0, (Date.now() - size.value.oldestAt) / 1000));
    untold.set(size.value.untold);
    bytes.set(size.value.bytes);
  };

  const metrics: MailMetrics = {
    replied: (step, reply) => replies.inc({ step, reply }),
    copySettled: (result) => copies.inc({ result }),
    relayAnswered: (milliseconds) => relay.observe(milliseconds / 1000),
    signed: (result, milliseconds) => {
      signing.observe(milliseconds / 1000);
      if (result === "failed") unsigned.inc();
    },
    committed: (milliseconds) => commit.observe(milliseconds / 1000),
    reportRead: (kind) => reports.inc({ kind }),
    spoolFailed: () => failures.inc(),
    watchSpool: (spool, most) => {
      watched = spool;
      limit.set(most);
    },
  };
  return { metrics, refresh };
};
