import { GetAccountCommand, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { err, ok } from "@postern/core";
import type { MailBody, MailRelay, RelayAnswer } from "@postern/mail";
import { isPaused, isQuotaUsed } from "../account.ts";
import { beforeDeadline } from "../before-deadline.ts";
import { because, reasonOf } from "../cause.ts";
import { senderTag } from "../sender-tag.ts";
import { type SesLocation, sesClient } from "../ses-client.ts";
import type { SesMailSettings } from "../ses-mail.ts";
import { answerTo, TOO_LARGE } from "./relay-answer.ts";

export type SesRelaySettings = SesLocation & Pick<SesMailSettings, "configurationSet">;

/** The largest message that SES takes, in octets: 40 MB. */
const MAX_SIZE = 40 * 2 ** 20;

/** Enough for the largest message on a slow network. */
const SEND_TIMEOUT_MS = 5 * 60_000;

const PROBE_TIMEOUT_MS = 10_000;

const NO_RESPONSE = because("no response before the deadline");

const NOT_IN_TIME: RelayAnswer = {
  kind: "deferred",
  about: "copy",
  code: null,
  status: null,
  cause: NO_RESPONSE,
};

/** Whether SES does not tell us about the account, which sending does not need. */
const isNotTold = (thrown: unknown): boolean => reasonOf(thrown) === "AccessDeniedException";

const contentOf = async (header: string, body: MailBody): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [Buffer.from(`${header}\r\n`, "latin1")];
  for await (const chunk of body.read()) parts.push(chunk);
  return Buffer.concat(parts);
};

/**
 * Sends messages on through Amazon SES (API version 2), with the credentials of a role instead of a password.
 *
 * - One request for each message, with one recipient; the message is sent as it is, and is in memory as a whole: up to 40 MB, and twice
 *   that as Base64 in the request. `send` never rejects, and ends within 5 minutes.
 * - SES gives the message an envelope sender, a `Message-ID` and a `Date` of its own. The envelope sender of `send` gets the bounces that
 *   SES passes on by mail, and is in a tag of the message, by which `sesOutcomes` finds the copy; recipients do not see it. With the null
 *   sender, there is neither: such bounces go to the author.
 * - `refused`, about the copy: SES refused the message or its recipient (`MessageRejected`, `BadRequestException`), or it is larger than
 *   40 MB.
 * - `deferred`, about the sender: its identity or its MAIL FROM domain is not verified.
 * - `deferred`, about the relay: there was no connection; credentials or rights are missing; there is no such configuration set; nothing is
 *   sent for the account now; or it has sent as much as it may in a day.
 * - `deferred`, about the connection: there were more messages a second than the account may send.
 * - `deferred`, about the copy: everything else, such as a lost response or an error of SES. The message may have been sent.
 * - `probe` asks whether the account can send now (`GetAccount`). If there is no right to ask, messages are tried.
 * - Nothing is logged. A `cause` has a name, such as `SendingPausedException` or `ECONNREFUSED`: neither SES's text nor an address.
 * - No connection is kept: there is nothing to close.
 *
 * It needs the right `ses:SendRawEmail` (and `ses:SendEmail`) for the identities of the alias domains and the configuration set.
 *
 * @example
 * ```ts
 * const relay = sesRelay({ region: "eu-west-1", configurationSet: "postern" });
 * ```
 */
export const sesRelay = ({ configurationSet, ...location }: SesRelaySettings): MailRelay => {
  const client = sesClient(location, 1);

  return {
    send: async ({ envelope: { from, to }, header, body }): Promise<RelayAnswer> => {
      if (header.length + 2 + body.size > MAX_SIZE) return TOO_LARGE;
      const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
      const sendOnce = async (): Promise<void> => {
        const message = new SendEmailCommand({
          // Not FromEmailAddress: SES would write it into the From field, in place of what is there.
          Destination: { ToAddresses: [to] },
          Content: { Raw: { Data: await contentOf(header, body) } },
          ConfigurationSetName: configurationSet,
          ...(from !== null && { FeedbackForwardingEmailAddress: from, EmailTags: [senderTag(from)] }),
        });
        await client.send(message, { abortSignal: signal });
      };
      try {
        await beforeDeadline(signal, sendOnce());
        return { kind: "accepted" };
      } catch (error) {
        return signal.aborted ? NOT_IN_TIME : answerTo(error, to);
      }
    },

    probe: async () => {
      const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
      const asking = client.send(new GetAccountCommand({}), { abortSignal: signal });
      try {
        const account = await beforeDeadline(signal, asking);
        if (isPaused(account)) return err({ code: "unavailable", cause: because("sending is paused") });
        if (!isQuotaUsed(account)) return ok();
        return err({ code: "unavailable", cause: because("the day's quota is used up") });
      } catch (error) {
        if (isNotTold(error)) return ok();
        return err({ code: "unavailable", cause: signal.aborted ? NO_RESPONSE : because(reasonOf(error)) });
      }
    },

    replacesMessageId: true,
  };
};
