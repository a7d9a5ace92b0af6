import type { Cause, Result } from "@postern/core";
import type { MailRelay, MailSigner, RelayAnswer, Spool } from "@postern/mail";
import { causeText } from "../../system/cause-text.ts";
import type { LogLines } from "./log.ts";
import type { CopyResult, MailMeasurements } from "./mail-metrics.ts";
import { sampler } from "./sampler.ts";

type Observers = {
  readonly metrics: MailMeasurements;
  readonly logger: Pick<LogLines, "warn" | "error">;
};

/** Logs a line, unless one with this key was logged in the same second; at the end of that second, logs the number of the others. */
const sampledLog = (logger: Observers["logger"], level: "warn" | "error", message: string) => {
  const isSample = sampler();
  return (key: string, fields: object): void => {
    const summarize = (further: number) =>
      logger[level]({ further }, `${message} (further occurrences in the same second)`);
    if (isSample(key, summarize)) logger[level](fields, message);
  };
};

const DEFERRED = { copy: "deferred", connection: "deferred", sender: "sender", relay: "relay" } as const;

const resultOf = (answer: RelayAnswer): CopyResult => {
  switch (answer.kind) {
    case "accepted":
      return "sent";
    case "refused":
      return "failed";
    case "deferred":
      return DEFERRED[answer.about];
  }
};

/** Counts and times the relay's answers, and logs those that do not accept a copy, with reply codes only. */
export const measuredRelay = (relay: MailRelay, { metrics, logger }: Observers): MailRelay => {
  const logCopy = sampledLog(logger, "warn", "a copy was not accepted by the relay");
  const logs: Partial<Record<CopyResult, typeof logCopy>> = {
    sender: sampledLog(logger, "error", "the relay rejects an alias domain as sender; its mail is queued"),
  };
  return {
    ...relay,
    send: async (mail) => {
      const start = performance.now();
      const answer = await relay.send(mail);
      metrics.relayAnswered(performance.now() - start);
      const result = resultOf(answer);
      metrics.copySettled(result);
      if (answer.kind !== "accepted") {
        const { code, status, cause } = answer;
        const log = logs[result] ?? logCopy;
        log(`${result} ${code}`, { result, code, status, cause: causeText(cause) });
      }
      return answer;
    },
  };
};

/** Measures signing, and logs why something could not be signed. */
export const measuredSigner = (signer: MailSigner, { metrics, logger }: Observers): MailSigner => {
  const log = sampledLog(logger, "error", "a message could not be signed");
  return {
    sign: async (mail) => {
      const start = performance.now();
      const signed = await signer.sign(mail);
      metrics.signed(signed.isOk() ? "ok" : "failed", performance.now() - start);
      if (signed.isErr()) log("", { cause: causeText(signed.error.cause) });
      return signed;
    },
  };
};

/** Measures how long it takes to get a message onto the disk, counts and logs failures of the spool, and counts copies that expired. */
export const measuredSpool = (spool: Spool, { metrics, logger }: Observers): Spool => {
  const logFailure = sampledLog(logger, "error", "the spool failed");
  const watched = async <
    R extends Result<unknown, { readonly code: string; readonly cause?: Cause | undefined }>,
  >(
    operation: string,
    call: Promise<R>,
  ): Promise<R> => {
    const result = await call;
    if (result.isErr() && result.error.code === "unavailable") {
      metrics.spoolFailed();
      logFailure(operation, { operation, cause: causeText(result.error.cause) });
    }
    return result;
  };
  return {
    id: spool.id,
    receive: async (chunks) => {
      let isInterrupted = false;
      const arriving = async function* () {
        try {
          yield* chunks;
        } catch (thrown) {
          isInterrupted = true;
          throw thrown;
        }
      };
      const receiving = spool.receive(arriving());
      await receiving;
      // Any client can hang up or send too much, which is not a failure of the spool.
      return isInterrupted ? receiving : watched("receive", receiving);
    },
    keep: async (mailing) => {
      const start = performance.now();
      const kept = await watched("keep", spool.keep(mailing));
      if (kept.isOk()) metrics.committed(performance.now() - start);
      return kept;
    },
    hasRoom: (account) => watched("hasRoom", spool.hasRoom(account)),
    largest: () => watched("largest", spool.largest()),
    find: (copy) => watched("find", spool.find(copy)),
    findAll: (message) => watched("findAll", spool.findAll(message)),
    take: (...input) => watched("take", spool.take(...input)),
    nextDue: (after) => watched("nextDue", spool.nextDue(after)),
    settle: async (copy, settlement, ifNoneLeft) => {
      const settled = await watched("settle", spool.settle(copy, settlement, ifNoneLeft));
      if (settled.isOk() && settlement.state === "expired") metrics.copySettled("expired");
      return settled;
    },
    report: (...input) => watched("report", spool.report(...input)),
    delay: (...input) => watched("delay", spool.delay(...input)),
    uncounted: (limit) => watched("uncounted", spool.uncounted(limit)),
    counted: (events) => watched("counted", spool.counted(events)),
    unlogged: (limit) => watched("unlogged", spool.unlogged(limit)),
    logged: (revisions) => watched("logged", spool.logged(revisions)),
    sweep: (now) => watched("sweep", spool.sweep(now)),
    list: (page) => watched("list", spool.list(page)),
    retry: (copy, now) => watched("retry", spool.retry(copy, now)),
    resend: (...input) => watched("resend", spool.resend(...input)),
    drop: (copy, now) => watched("drop", spool.drop(copy, now)),
    dropAll: (...input) => watched("dropAll", spool.dropAll(...input)),
    retryAll: (now) => watched("retryAll", spool.retryAll(now)),
    setPause: (pause) => watched("setPause", spool.setPause(pause)),
    pause: () => watched("pause", spool.pause()),
    hurry: (now) => watched("hurry", spool.hurry(now)),
    size: () => watched("size", spool.size()),
  };
};
