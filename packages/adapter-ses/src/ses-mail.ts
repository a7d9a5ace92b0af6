import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { type Concealment, err, ok, type Secrets, type VerificationMail } from "@postern/core";
import { HeaderFields, type VerificationSettings, verificationWriter } from "@postern/mail";
import { beforeDeadline } from "./before-deadline.ts";
import { because } from "./cause.ts";
import { failureOf, type SendFailure } from "./failure.ts";
import { problemOf } from "./problem.ts";
import { type SesLocation, sesClient } from "./ses-client.ts";
import { verificationTag } from "./verification-tag.ts";

export type SesMailSettings = VerificationSettings &
  SesLocation & {
    /** The configuration set that messages are sent with, which must exist; by default that of the sender's identity, if any. */
    readonly configurationSet?: string | undefined;
    /**
     * The secrets of the service, by default none. With them, messages have a tag by which `sesOutcomes` records with the recipient what
     * SES reports about them.
     */
    readonly secrets?: (Pick<Secrets, "open"> & Pick<Concealment, "conceal">) | undefined;
  };

const TIMEOUT_MS = 5_000;

/** The longest pause after SES has refused a message because there were too many. */
const MAX_PAUSE_MS = 1_000;

/** Resolves after these milliseconds, and rejects if the signal aborts first. */
type Wait = (
  milliseconds: number,
  value: undefined,
  options: { readonly signal: AbortSignal },
) => Promise<unknown>;

const NO_RESPONSE: SendFailure = {
  code: "unavailable",
  cause: because("no response before the deadline"),
};

/** `sesMail` with another timeout for each message. */
export const sesMailWithin = (
  timeoutMs: number,
  { from, publicUrl, service, language, configurationSet, secrets, ...location }: SesMailSettings,
  wait: Wait = setTimeout,
): VerificationMail => {
  const writer = verificationWriter({ from, publicUrl, service, language });
  const client = sesClient(location, 1);

  return {
    send: async ({ to, token }) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const { header, body } = writer.write({ id: randomUUID(), to, token, now: Date.now() });
      const tag = secrets ? verificationTag(token, secrets) : null;
      const message = new SendEmailCommand({
        // SES writes it into the From field, in place of what is there; and rights can be limited to one.
        FromEmailAddress: HeaderFields.values(HeaderFields.split(header), "from")[0],
        Destination: { ToAddresses: [to] },
        Content: { Raw: { Data: Buffer.concat([Buffer.from(`${header}\r\n`), body]) } },
        ConfigurationSetName: configurationSet,
        ...(tag !== null && { EmailTags: [tag] }),
      });
      for (;;) {
        try {
          await beforeDeadline(signal, client.send(message, { abortSignal: signal }));
          return ok();
        } catch (error) {
          if (signal.aborted) return err(NO_RESPONSE);
          if (problemOf(error, to) !== "throttled") return err(failureOf(error, to));
          try {
            await wait(Math.random() * MAX_PAUSE_MS, undefined, { signal });
          } catch {
            return err(failureOf(error, to));
          }
        }
      }
    },
  };
};

/**
 * Sends verification messages through Amazon SES (API version 2), which signs them with the DKIM keys of the sender's identity, and gives
 * them a Message-ID and a Date of its own.
 *
 * - `send` succeeds once SES has accepted the message. It takes at most 5 seconds. It never rejects.
 * - `not_sent` means that the message was certainly not sent: there was no connection, there are no credentials or rights, SES sends
 *   nothing for the account or this sender now, or there were too many messages (`TooManyRequestsException`) all the time. Only after that
 *   is it tried again, with pauses of up to a second.
 * - `mail_refused`, never `permanent`, means that SES refused the message or its recipient (`MessageRejected`, `BadRequestException`): to
 *   an account in its sandbox, it refuses all recipients that are not verified there.
 * - `refusal` is given if SES has said no: `sending_paused`, `sender_refused` or, with `mail_refused`, `message_rejected`.
 * - `unavailable` means that this is unknown, and the message may still arrive: the time ran out, the connection was lost, or SES failed.
 * - Every failure has a cause for the operator's log, such as `SendingPausedException` or `ECONNREFUSED`: a name, never SES's text.
 * - Nothing is logged, and no error contains an address, a link or a credential.
 * - No connection is kept: there is nothing to close.
 *
 * @throws TypeError if a setting is malformed. The message does not repeat the value.
 * @example
 * ```ts
 * const mail = sesMail({
 *   region: "eu-west-1",
 *   from: "postern@example.com",
 *   publicUrl: "https://postern.example.com",
 *   configurationSet: "postern",
 * });
 * const service = postern({ store, aliasDomains, verificationMail: mail, ...nodePorts({ linkSecrets }) });
 * ```
 */
export const sesMail = (settings: SesMailSettings): VerificationMail => sesMailWithin(TIMEOUT_MS, settings);
