import type { AccountId, VerificationMail } from "@postern/core";
import type { Logger } from "pino";
import { causeText } from "../../system/cause-text.ts";
import type { MailResult, Metrics } from "./metrics.ts";
import { sampler } from "./sampler.ts";

const RESULTS = {
  not_sent: "not_sent",
  mail_refused: "refused",
  unavailable: "unknown",
} as const satisfies Record<string, MailResult>;

/**
 * Counts messages by result, and logs each that was not sent, or may not have been, with its cause: the client's request
 * can succeed nevertheless. A line contains no address. Of the messages with the same result, only the first in a second is
 * logged, and at the end of that second the number of the others.
 *
 * @param options.tag the name of an account in the log
 */
export const measuredMail = (
  mail: VerificationMail,
  {
    logger,
    metrics: { messageSent },
    tag,
  }: {
    readonly logger: Pick<Logger, "warn">;
    readonly metrics: Pick<Metrics, "messageSent">;
    readonly tag: (account: AccountId) => string;
  },
): VerificationMail => {
  const isSample = sampler();
  return {
    ...mail,
    send: async (message) => {
      const sent = await mail.send(message);
      if (sent.isOk()) {
        messageSent(mail.queues === true ? "queued" : "sent");
        return sent;
      }
      const result = RESULTS[sent.error.code];
      messageSent(result);
      const summarize = (further: number) =>
        logger.warn({ result, further }, "further verification messages failed in the same second");
      if (isSample(result, summarize)) {
        logger.warn(
          { result, cause: causeText(sent.error.cause), account: tag(message.account) },
          "verification message failed",
        );
      }
      return sent;
    },
  };
};
