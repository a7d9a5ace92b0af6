import { err, ok } from "@postern/core";
import { type HeaderField, HeaderFields, type MailSigner } from "@postern/mail";
import { sevenBitHeader, sevenBitMail, watchBody } from "../seven-bit/seven-bit-mail.ts";
import { arcSet } from "./arc-set.ts";
import { relaxedBodyHash } from "./relaxed.ts";
import { parseRsaKey } from "./rsa-key.ts";
import { signedField, signedNames } from "./signature.ts";

export type DkimSignerSettings = {
  /** An RSA private key of at least 2048 bits, in PEM, without a passphrase. */
  readonly key: string;
  /** The name under which each alias domain publishes the public key: `SELECTOR._domainkey.DOMAIN`. */
  readonly selector: string;
  /** Unless null, forwarded messages get an ARC set (RFC 8617), in which this server calls itself `server` (its authserv-id). */
  readonly arc: { readonly server: string } | null;
};

/** The fields that verifiers and readers rely on, if present (RFC 6376, section 5.4.1; RFC 8058, section 4). */
const SIGNED = new Set(
  [
    "From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:Content-ID",
    "Content-Description:Resent-Date:Resent-From:Resent-Sender:Resent-To:Resent-Cc:Resent-Message-ID:In-Reply-To",
    "References:List-Id:List-Help:List-Unsubscribe:List-Unsubscribe-Post:List-Subscribe:List-Post:List-Owner",
    "List-Archive:DKIM-Signature",
  ]
    .join(":")
    .toLowerCase()
    .split(":"),
);

/**
 * The fields that mail programs show, reply to, or interpret the body with. They are in `h=` once more than in the message, even
 * if it has none: otherwise anyone who gets a message could add one, and send the message to others with a signature that is
 * still valid (RFC 6376, section 8.15). Fields that mailing lists and servers along the way may add are not among them.
 */
const SIGNED_ONCE_MORE = [
  ...["from", "reply-to", "sender", "to", "cc", "subject", "date", "message-id", "in-reply-to", "references"],
  ...["mime-version", "content-type", "content-transfer-encoding"],
];

/**
 * How long a DKIM signature is valid, in seconds: 14 days. Each attempt to send a copy gets a new one, but the relay may then queue
 * the message for five days, and so may a second server on the mailbox's side; the rest is for clocks that are wrong.
 */
const LIFETIME = 14 * 86_400;

const SELECTOR = /^(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/**
 * Signs messages with DKIM (RFC 6376), and forwarded ones also with ARC, as each of the alias domains.
 *
 * - `relaxed/relaxed`, `rsa-sha256`. Nobody can add fields such as `From`, `Reply-To` or `Subject`: they are in `h=` once more than in the
 *   message. After 14 days, the DKIM signature is no longer valid.
 * - Signs what no relay has to change: 8-bit octets and lines of more than 998 octets are encoded first (`sevenBitMail`). A body without
 *   any is read once, and sent as it is.
 * - The key is parsed and tried once, here. Signing itself does not occupy the event loop.
 * - No ARC set is added to a chain of 50 sets, or to one whose last seal says that it is broken.
 * - `sign` never rejects. `unavailable`: the body cannot be read, or the header has no `From`.
 *
 * @throws TypeError if the key or the selector is malformed. The message does not repeat the key.
 * @example
 * ```ts
 * const signer = dkimSigner({
 *   key: await readFile("dkim.pem", "utf8"),
 *   selector: "postern",
 *   arc: { server: "mx.alias.example" },
 * });
 * ```
 */
export const dkimSigner = ({ key, selector, arc }: DkimSignerSettings): MailSigner => {
  const rsa = parseRsaKey(key);
  if (!SELECTOR.test(selector))
    throw new TypeError("selector must consist of letters, digits and hyphens, such as postern");

  const sign: MailSigner["sign"] = async ({ domain, authentication, ...mail }) => {
    const watched = watchBody(mail.body);
    const hashBefore = await relaxedBodyHash(watched.read());
    const { header, body } = watched.fits()
      ? { ...mail, header: sevenBitHeader(mail.header) }
      : await sevenBitMail(mail);
    const bodyHash = body === mail.body ? hashBefore : await relaxedBodyHash(body.read());
    const now = Math.floor(Date.now() / 1000);
    const identity = `d=${domain}; s=${selector}; t=${now}`;

    /** A signature of body and header, under this name, with these tags in front. */
    const signature =
      (fields: readonly HeaderField[], identity: string) => (name: string, tags: readonly string[]) => {
        // From the bottom, as verifiers find them.
        const signed = fields.filter(({ name: field }) => SIGNED.has(field)).toReversed();
        return signedField(
          rsa,
          name,
          [
            [...tags, "a=rsa-sha256", "c=relaxed/relaxed"].join("; "),
            identity,
            signedNames([...signed.map(({ name: field }) => field), ...SIGNED_ONCE_MORE]),
            `bh=${bodyHash}`,
          ],
          signed.map(({ raw }) => raw),
        );
      };

    const fields = HeaderFields.split(header);
    if (!fields.some(({ name }) => name === "from")) {
      return err({ code: "unavailable", cause: { source: "dkim", reason: "no From field" } });
    }
    // Not in the ARC set: a seal has no such tag (RFC 8617, section 4.1.3), and the chain has to outlive further forwarding.
    const expiring = `${identity}; x=${now + LIFETIME}`;
    const dkim = await signature(fields, expiring)("DKIM-Signature", ["v=1"]);
    const set =
      arc === null || authentication === null
        ? []
        : await arcSet(header, authentication, arc.server, {
            rsa,
            identity,
            sign: signature([...HeaderFields.split(`${dkim}\r\n`), ...fields], identity),
          });
    return ok({ header: [...set, dkim].map((field) => `${field}\r\n`).join("") + header, body });
  };

  return {
    sign: async (mail) => {
      try {
        return await sign(mail);
      } catch {
        return err({ code: "unavailable", cause: { source: "dkim", reason: "the body cannot be read" } });
      }
    },
  };
};
