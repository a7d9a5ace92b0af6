import { isAscii } from "node:buffer";
import {
  type HeaderField,
  HeaderFields,
  type MailBody,
  type SentMail,
  wellFormedField,
  writeField,
} from "@postern/mail";
import { base64, type Encoder, folded, quotedPrintable, wrappedBase64 } from "./encoders.ts";
import { longLines } from "./line-lengths.ts";
import { mimePieces, type Part } from "./mime-parts.ts";

const ENCODING = "content-transfer-encoding";
/** Relays convert parts that claim to be this, even if they are in ASCII, such as Postfix. */
const UNENCODED = ["8bit", "binary"];
const CRLF = "\r\n";

/** Bodies up to this size are encoded once, and then held. In octets. */
const MAX_HELD = 64 * 1024;
/** The maximum size of the chunks in which a body is read, in octets. */
const MAX_CHUNK = 64 * 1024;

const octetsOf = (text: string): Buffer => Buffer.from(text, "latin1");

/** Watches a body that is read for something else. */
export const watchBody = (body: Pick<MailBody, "read">) => {
  const isLong = longLines();
  let fits = true;
  return {
    read: async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of body.read()) {
        const octets = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        fits &&= isAscii(octets) && !isLong(octets);
        yield chunk;
      }
    },
    /** Whether everything that was read is in ASCII, in lines of at most 998 octets. */
    fits: () => fits,
  };
};

/** The parts that have to be changed, by their numbers. */
type Plan = {
  readonly message: Part | null;
  readonly encoded: ReadonlySet<number>;
  readonly folded: ReadonlySet<number>;
  readonly withFoldedHeader: ReadonlySet<number>;
  /** Whether there are 8-bit octets in what is kept. */
  readonly keeps8Bit: boolean;
  /** Whether any other part claims to have some. */
  readonly claims8Bit: boolean;
};

const planFor = async ({ header, body }: SentMail): Promise<Plan> => {
  const [encoded, folded, withFoldedHeader] = [new Set<number>(), new Set<number>(), new Set<number>()];
  let message: Part | null = null;
  let [keeps8Bit, claims8Bit] = [false, false];
  let isLong = longLines();
  for await (const piece of mimePieces(header, body.read())) {
    // Lines do not go on in another part.
    if (piece.kind !== "content") isLong = longLines();
    if (piece.kind === "delimiter") continue;
    const { number, treatment, encoding } = piece.part;
    if (piece.kind === "header") {
      message ??= piece.part;
      claims8Bit ||= treatment !== "keep" && UNENCODED.includes(encoding);
      const isFolded =
        treatment !== "keep" && number > 0 && isLong(octetsOf(HeaderFields.join(piece.part.fields)));
      if (isFolded) withFoldedHeader.add(number);
      isLong = longLines();
      continue;
    }
    const octets = octetsOf(piece.text);
    const is8Bit = !isAscii(octets);
    const isTooLong = isLong(octets);
    if (treatment === "keep") keeps8Bit ||= is8Bit;
    if (treatment === "fold" && isTooLong) folded.add(number);
    if (treatment === "encode" && (is8Bit || isTooLong)) encoded.add(number);
  }
  return { message, encoded, folded, withFoldedHeader, keeps8Bit, claims8Bit };
};

/** The encoding that a part gets. */
const encodingOf = ({ number, treatment, isText, encoding }: Part, plan: Plan): string => {
  if (plan.encoded.has(number)) {
    if (encoding === "base64" || encoding === "quoted-printable") return encoding;
    return isText ? "quoted-printable" : "base64";
  }
  if (!UNENCODED.includes(encoding) || treatment === "keep") return encoding;
  return treatment === "fold" && plan.keeps8Bit ? "8bit" : "7bit";
};

const encoderFor = (part: Part, plan: Plan): Encoder | null => {
  if (plan.folded.has(part.number)) return folded();
  if (!plan.encoded.has(part.number)) return null;
  const isEncoded = part.encoding === encodingOf(part, plan);
  if (encodingOf(part, plan) === "quoted-printable") return quotedPrintable({ encoded: isEncoded });
  return isEncoded ? wrappedBase64() : base64();
};

const withEncoding = (fields: readonly HeaderField[], encoding: string): readonly HeaderField[] => {
  const field = writeField("Content-Transfer-Encoding", encoding);
  const first = fields.findIndex(({ name }) => name === ENCODING);
  if (first < 0) return [...fields, field];
  return fields.flatMap((other, n) => (n === first ? [field] : other.name === ENCODING ? [] : [other]));
};

const headerOf = (part: Part, plan: Plan): string => {
  const fields = plan.withFoldedHeader.has(part.number) ? part.fields.map(wellFormedField) : part.fields;
  const encoding = encodingOf(part, plan);
  return HeaderFields.join(encoding === part.encoding ? fields : withEncoding(fields, encoding));
};

/** The body that is sent instead. */
async function* encodedBody({ header, body }: SentMail, plan: Plan): AsyncGenerator<string> {
  let encoder: Encoder | null = null;
  let sent = "";
  for await (const piece of mimePieces(header, body.read())) {
    if (piece.kind === "content") {
      encoder ??= encoderFor(piece.part, plan);
      sent = encoder?.add(piece.text) ?? piece.text;
      yield sent;
      continue;
    }
    if (encoder !== null) yield encoder.end();
    encoder = null;
    if (piece.kind === "delimiter") yield piece.text;
    else if (piece.part.number > 0) {
      const isBlank = piece.isBlank || plan.encoded.has(piece.part.number);
      yield `${headerOf(piece.part, plan)}${isBlank ? CRLF : ""}`;
    }
  }
  if (encoder === null) return;
  const rest = encoder.end();
  yield rest;
  if (!`${sent}${rest}`.endsWith(CRLF)) yield CRLF;
}

/** The octets, in chunks of at most `MAX_CHUNK`. */
async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) {
    const octets = octetsOf(text);
    for (let at = 0; at < octets.length; at += MAX_CHUNK) yield octets.subarray(at, at + MAX_CHUNK);
  }
}

/** The body with its size: it is encoded once for that, and again whenever it is read, unless it is small. */
const measured = async (read: () => AsyncIterable<Uint8Array>): Promise<MailBody> => {
  const held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of read()) {
    size += chunk.length;
    if (size <= MAX_HELD) held.push(chunk);
  }
  if (size > MAX_HELD) return { size, read };
  return {
    size,
    read: async function* () {
      yield* held;
    },
  };
};

/** The header of a message whose body no relay has to change, without the claim that it is `8bit`. */
export const sevenBitHeader = (header: string): string =>
  /^content-transfer-encoding:[\t\r\n ]*(?:8bit|binary)/im.test(header)
    ? HeaderFields.join(withEncoding(HeaderFields.split(header), "7bit"))
    : header;

/**
 * The message as no relay has to change it, which would break its signatures (RFC 6376, section 5.3): parts with 8-bit octets or with lines
 * of more than 998 octets are encoded, text as quoted-printable and everything else as base64. The content of all parts is the same octets
 * as before, and everything else stays as it is, except:
 *
 * - Lines that are too long around parts and in the headers of parts are broken.
 * - `8bit` and `binary` become `7bit` where that is true.
 *
 * Signed or encrypted parts are kept as they are, as are pieces of messages, parts in an encoding that we do not know, and what is in more
 * than 10,000 parts or 30 levels. 8-bit octets in the headers of parts and around them stay.
 *
 * For messages that are not in ASCII, or have longer lines. The body is read twice, and then whenever the new one is read, unless that is
 * small. Little of it is held.
 */
export const sevenBitMail = async (mail: SentMail): Promise<SentMail> => {
  const plan = await planFor(mail);
  const { message, keeps8Bit, claims8Bit } = plan;
  const changes = plan.encoded.size + plan.folded.size + plan.withFoldedHeader.size;
  if (message === null || (changes === 0 && (keeps8Bit || !claims8Bit))) return mail;
  const header = headerOf(message, plan);
  const isMime = message.fields.some(({ name }) => name === "mime-version");
  // Without this field, an encoding means nothing (RFC 2045, section 4).
  const mime = plan.encoded.has(message.number) && !isMime ? writeField("MIME-Version", "1.0").raw : "";
  return {
    header: mime + header,
    body: await measured(() => inChunks(encodedBody(mail, plan))),
  };
};
