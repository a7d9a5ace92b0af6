import type { Spool } from "@postern/mail";
import type { Registry } from "prom-client";
import { COPY_RESULTS, type MailMetrics, REPORT_KINDS } from "./mail-metrics.ts";
import { seriesIn } from "./series.ts";

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const prometheusMailMetrics = (registry: Registry) => {
  const { counter, gauge, duration } = seriesIn(registry);
  const replies = counter(
    "postern_mail_replies_total",
    "SMTP replies that accepted or refused a connection, sender, recipient or message",
    ["step", "reply"],
    [
      { step: "DATA", reply: "250 2.0.0" },
      { step: "DATA", reply: "451 4.3.0" },
      { step: "DATA", reply: "452 4.3.1" },
      { step: "RCPT", reply: "451 4.3.0" },
    ],
  );
  const copies = counter(
    "postern_mail_copies_total",
    "Attempts to send a copy of a message to one mailbox, by what became of the copy; sender means that the relay refused the alias domain, relay that it could not be used at all",
    ["result"],
    COPY_RESULTS.map((result) => ({ result })),
  );
  const relay = duration(
    "postern_mail_relay_duration_seconds",
    "From handing a copy to the relay to its answer",
    SECONDS,
  );
  const signing = duration(
    "postern_mail_sign_duration_seconds",
    "Signing a message, once for all copies of an alias",
    SECONDS,
  );
  const unsigned = counter(
    "postern_mail_sign_failures_total",
    "Messages that could not be signed, so their copies were deferred",
  );
  const commit = duration(
    "postern_mail_commit_duration_seconds",
    "Time until a received message and all its copies are on the disk",
    SECONDS,
  );
  const reports = counter(
    "postern_mail_reports_total",
    "Reports about copies, by result",
    ["kind"],
    REPORT_KINDS.map((kind) => ({ kind })),
  );
  const failures = counter("postern_mail_spool_failures_total", "Spool calls with the outcome unavailable");
  const paused = gauge(
    "postern_mail_forwarding_paused",
    "1 while mail that waits is not sent, because the relay or the store cannot be used, or the relay refuses everything; otherwise 0",
  );
  const queued = gauge("postern_mail_queued_copies", "Copies queued to be sent");
  const oldest = gauge(
    "postern_mail_oldest_queued_seconds",
    "Time since the oldest message with a queued copy was first received, even if it is being sent again; 0 if none is queued",
  );
  const uncounted = gauge("postern_mail_uncounted_outcomes", "Outcomes not yet counted for their aliases");
  const unlogged = gauge(
    "postern_mail_unlogged_messages",
    "Messages whose entry in the alias's log is missing or out of date",
  );
  const bytes = gauge("postern_mail_spool_bytes", "Bytes in the spool");
  const limit = gauge("postern_mail_spool_limit_bytes", "Limit of the bytes in the spool; 0 without a spool");

  let watched: Pick<Spool, "size"> | undefined;
  /** Reads the size of the spool. If that fails, the last values stay, and the failure is counted. */
  const refresh = async (): Promise<void> => {
    if (watched === undefined) return;
    const size = await watched.size();
    if (size.isErr()) return;
    queued.set(size.value.queued);
    oldest.set(size.value.oldestAt === null ? 0 : Math.max(0, (Date.now() - size.value.oldestAt) / 1000));
    uncounted.set(size.value.uncounted);
    unlogged.set(size.value.unlogged);
    bytes.set(size.value.bytes);
  };

  const metrics: MailMetrics = {
    replied: (step, reply) => replies.inc({ step, reply }),
    copySettled: (result) => copies.inc({ result }),
    relayAnswered: (milliseconds) => relay(milliseconds),
    signed: (result, milliseconds) => {
      signing(milliseconds);
      if (result === "failed") unsigned.inc();
    },
    committed: (milliseconds) => commit(milliseconds),
    reportRead: (kind) => reports.inc({ kind }),
    spoolFailed: () => failures.inc(),
    forwardingPaused: (isPaused) => paused.set(isPaused ? 1 : 0),
    watchSpool: (spool, most) => {
      watched = spool;
      limit.set(most);
    },
  };
  return { metrics, refresh };
};
