import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerEnvelope } from "smtp-server";
import { storeMessage } from "./mailbox-files.ts";

/** A message that arrived in a mailbox. */
export type Delivery = {
  readonly to: string;
  /** The message as it arrived. Beside it is a `.txt` file with what a person reads. */
  readonly file: string;
  /** Its text, without the header; empty if it has none. */
  readonly text: string;
};

export type Mailboxes = {
  /** The mail server that hosts them. */
  readonly url: string;
  stop(): Promise<void>;
};

type Refusal = { readonly code: number; readonly text: string };

/** Mailboxes that do not take everything, so that each outcome of a message can be seen. */
const REFUSING: readonly (readonly [mailbox: RegExp, Refusal])[] = [
  [/^nobody@/i, { code: 550, text: "5.1.1 There is no such mailbox" }],
  [/^busy@/i, { code: 451, text: "4.3.2 Try again later" }],
];

/** In octets, at example.org. */
const LARGEST = 20_000;
const TOO_LARGE: Refusal = { code: 552, text: "5.3.4 The message is too large for this mailbox" };

const asError = ({ code, text }: Refusal): Error => Object.assign(new Error(text), { responseCode: code });

/**
 * A mail server on loopback where every address has a mailbox, a folder in `directory`. Its messages are files there: `1.eml`
 * with `1.txt`, `2.eml` with `2.txt`, and so on. It sends nothing to other mail servers. `nobody@` is refused and `busy@` put off, and
 * example.org takes no large messages.
 *
 * @param onDelivery called after each message that was stored; must not throw
 */
export const startMailboxes = async ({
  directory,
  onDelivery,
}: {
  readonly directory: string;
  readonly onDelivery: (delivery: Delivery, envelope: SMTPServerEnvelope) => void;
}): Promise<Mailboxes> => {
  const smtp = new SMTPServer({
    logger: false,
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    hideDSN: false,
    closeTimeout: 1000,
    onRcptTo: ({ address }, _, done) => {
      const [, refusal] = REFUSING.find(([mailbox]) => mailbox.test(address)) ?? [];
      done(refusal && asError(refusal));
    },
    onData: async (stream, { envelope }, done) => {
      try {
        const octets = await buffer(stream);
        const isLimited = envelope.rcptTo.some(({ address }) => /@example\.org$/i.test(address));
        if (isLimited && octets.length > LARGEST) return done(asError(TOO_LARGE));
        const email = await PostalMime.parse(octets);
        for (const { address } of envelope.rcptTo) {
          const file = storeMessage(directory, address, octets, email);
          onDelivery({ to: address, file, text: email.text ?? "" }, envelope);
        }
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error("not stored"));
      }
    },
  });
  // A client may disconnect at any time.
  smtp.on("error", () => {});
  smtp.listen(0, "127.0.0.1");
  await once(smtp.server, "listening");
  const { port } = smtp.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    stop: () => new Promise((stopped) => smtp.close(() => stopped())),
  };
};
