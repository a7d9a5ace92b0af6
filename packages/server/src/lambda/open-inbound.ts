import {
  type BucketLocation,
  inboundHandler,
  type SesArrivalRead,
  type SqsBatchResponse,
} from "@postern/adapter-ses/inbound";
import type { MailPlanePorts, Spool } from "@postern/mail";
import { cachingResolver } from "@postern/mail-in";
import type { Configuration } from "../configuration/configuration.ts";
import { type PlaneSettings, planeOf } from "../serve/mail/plane-of.ts";
import type { LogLines } from "../serve/observability/log.ts";
import type { MailMeasurements } from "../serve/observability/mail-metrics.ts";
import { sampler } from "../serve/observability/sampler.ts";
import { causeText } from "../system/cause-text.ts";
import { systemCode } from "../system/system-code.ts";
import { copiesEnded, sendMail, sweepSpool } from "./send-mail.ts";

type Context = { readonly getRemainingTimeInMillis: () => number };

export const NO_FAILURES: SqsBatchResponse = { batchItemFailures: [] };

type Line = {
  readonly level: "info" | "error";
  readonly text: string;
  readonly reason: string;
  readonly fields?: object;
};

/** What the log says about a message that is not accepted; null if it is, or was before. */
const lineOf = ({ messageId, result }: SesArrivalRead): Line | null => {
  if (result.isErr()) {
    const { error } = result;
    const text = "mail stays in the queue";
    switch (error.code) {
      case "unreadable":
        return { level: "error", text, reason: error.reason, fields: { messageId } };
      case "unavailable":
        return { level: "error", text, reason: error.code, fields: { cause: causeText(error.cause) } };
      default:
        return { level: "info", text, reason: error.code };
    }
  }
  switch (result.value.code) {
    case "discarded":
      return { level: "info", text: "mail discarded", reason: result.value.reason };
    case "gone":
      return { level: "info", text: "mail not found", reason: "its object is gone" };
    default:
      return null;
  }
};

/** Logs what becomes of mail. Lines contain no addresses. */
const arrivalLog = (logger: LogLines, accessLog: boolean) => {
  const isSample = sampler();
  const log = ({ level, text, reason, fields }: Line): void => {
    const summarize = (further: number) =>
      logger[level]({ reason, further }, `${text} (further occurrences in the same second)`);
    if (isSample(`${text} ${reason}`, summarize)) logger[level]({ reason, ...fields }, text);
  };
  return (arrival: SesArrivalRead): void => {
    for (const reason of new Set(arrival.refused)) log({ level: "info", text: "recipient refused", reason });
    const line = lineOf(arrival);
    if (line !== null) log(line);
    const accepted = arrival.result.map((value) => (value.code === "accepted" ? value.message : null));
    const message = accepted.unwrapOr(null);
    if (accessLog && message !== null) logger.info({ message }, "message accepted");
  };
};

/** Says in the log how much mail waits, if any does. */
const logWaiting = async (spool: Pick<Spool, "size">, logger: LogLines): Promise<void> => {
  const size = (await spool.size()).unwrapOr(null);
  if (size === null || size.oldestAt === null) return;
  const oldestSeconds = Math.round((Date.now() - size.oldestAt) / 1000);
  logger.info({ queued: size.queued, oldestSeconds }, "mail waits");
};

/** Whether the event is from a queue. Whatever else invokes the function only wants mail to be sent. */
export const isBatch = (event: unknown): boolean =>
  typeof event === "object" && event !== null && "Records" in event;

/**
 * The function that takes in mail from SES, and then sends what is due (`sendMail`). To be invoked by the queue with SES's notifications,
 * with partial batch responses, and every minute by a schedule, with any other event: then it sweeps the spool as well. Any number of
 * instances can run at the same time, as far as the spool allows.
 *
 * @throws TypeError if the settings are not those of a mail plane (`mailPlane`), or `dns` is malformed
 */
export const openInbound = (
  settings: PlaneSettings & Pick<Configuration, "dns" | "accessLog">,
  {
    bucket,
    logger,
    metrics,
    ...ports
  }: Pick<MailPlanePorts, "store" | "spool" | "signer" | "relay" | "copiesAtOnce"> & {
    /** In which SES stores mail. */
    readonly bucket: BucketLocation;
    readonly logger: LogLines;
    readonly metrics: MailMeasurements;
  },
): ((event: unknown, context: Context) => Promise<SqsBatchResponse>) => {
  const ended = copiesEnded();
  const plane = planeOf(settings, { ...ports, onCopyEnded: ended.onCopyEnded }, { logger, metrics });
  const takeIn = inboundHandler({
    plane,
    spool: plane.spool,
    bucket,
    name: settings.mailPlane.name,
    lookup: cachingResolver(settings.dns ?? null).lookup,
    onEvent: arrivalLog(logger, settings.accessLog),
    onReport: metrics.reportRead,
  });
  return async (event, context) => {
    const timeLeft = () => context.getRemainingTimeInMillis();
    const response = isBatch(event) ? await takeIn(event) : NO_FAILURES;
    try {
      await sendMail(plane, timeLeft, ended);
      if (isBatch(event)) return response;
      await sweepSpool(plane, timeLeft);
      await logWaiting(plane.spool, logger);
    } catch (error) {
      // What has been taken in must not come again.
      logger.error({ reason: systemCode(error) }, "unexpected error in the mail plane (a bug)");
    }
    return response;
  };
};
