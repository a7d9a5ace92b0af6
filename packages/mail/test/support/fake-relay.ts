import { err, ok } from "@postern/core";
import type { MailRelay, MailSigner, RelayAnswer } from "@postern/mail";
import { address } from "./mail.ts";

type Sent = Omit<Parameters<MailRelay["send"]>[0], "body">;

export type FakeRelay = Omit<MailRelay, "replacesMessageId"> & {
  replacesMessageId: boolean;
  /** Everything that was handed to it, whatever it answered. */
  readonly sent: readonly Sent[];
  /** How often it was probed. */
  probes: number;
  /** What it answers from now on. It lets a probe in unless it could not be used for a message with the null sender. */
  answer: (mail: Sent) => RelayAnswer;
};

export const ACCEPTED: RelayAnswer = { kind: "accepted" };
export const REFUSED: RelayAnswer = { kind: "refused", about: "copy", code: 550, status: "5.1.1" };
export const BUSY: RelayAnswer = { kind: "deferred", about: "copy", code: 452, status: "4.2.2" };
export const TURNED_AWAY: RelayAnswer = { kind: "deferred", about: "connection", code: 421, status: "4.7.0" };
/** Answers to MAIL with an address, and with the null sender. */
export const SENDER_REFUSED: RelayAnswer = { kind: "deferred", about: "sender", code: 550, status: "5.7.1" };
export const NULL_SENDER_REFUSED: RelayAnswer = { kind: "refused", about: "sender", code: 501, status: null };
export const UNUSABLE: RelayAnswer = { kind: "deferred", about: "relay", code: 535, status: "5.7.8" };

export const fakeRelay = (): FakeRelay => {
  const sent: Sent[] = [];
  const relay: FakeRelay = {
    sent,
    replacesMessageId: false,
    probes: 0,
    answer: () => ACCEPTED,
    probe: async () => {
      relay.probes += 1;
      const answer = relay.answer({
        envelope: { from: null, to: address("probe@relay.example") },
        header: "",
      });
      return answer.kind === "deferred" && answer.about === "relay" ? err({ code: "unavailable" }) : ok();
    },
    send: async ({ body: _, ...mail }) => {
      sent.push(mail);
      return relay.answer(mail);
    },
  };
  return relay;
};

/** Names the domain that would sign. */
export const fakeSigner: MailSigner = {
  sign: async ({ domain, header, body }) => ok({ header: `DKIM-Signature: d=${domain}\r\n${header}`, body }),
};
