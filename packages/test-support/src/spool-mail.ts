import { createHash } from "node:crypto";
import {
  type CopyId,
  newCopyId,
  newMessageId,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  Copy,
  type CopyPurpose,
  type MailBody,
  type Mailing,
  type OwnMailing,
  type ReceivedBody,
  type Spool,
} from "@postern/mail";

const random = (below: number): number => Math.floor(Math.random() * below);

export const NOW = 1_700_000_000_000;

/** Octets determined by the seed. */
export const contentOf = (seed: number, size: number): Uint8Array => {
  const block = createHash("sha256").update(String(seed)).digest();
  return Uint8Array.from({ length: size }, (_, n) => block[n % block.length] ?? 0);
};

export const chunksOf = async function* (content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 50_000) yield content.subarray(at, at + 50_000);
};

export const readBody = async (body: MailBody): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export const forward = (account: string): CopyPurpose => ({
  kind: "forward",
  alias: {
    account: valueOf(parseAccountId(account)),
    id: valueOf(parseAliasId("alias")),
    email: valueOf(parseEmailAddress("shop@alias.example")),
  },
  recipient: valueOf(parseRecipientId("recipient")),
  contacts: [],
  isAnswer: false,
  tag: null,
});

/** A message of Postern's own with a body of this size, and one copy for each purpose. */
const messageOf = (size: number, purposes: readonly CopyPurpose[]): Omit<Mailing, "body"> => {
  const id = newMessageId(random);
  const message = { origin: "own", id, createdAt: NOW, header: "A: b\r\n", size: size + 8 } as const;
  const copy = (purpose: CopyPurpose): Copy =>
    Copy.create(
      { id: newCopyId(random), message: id, to: valueOf(parseEmailAddress("me@home.example")), purpose },
      NOW,
    );
  const [first = { kind: "notice", alias: null }, ...others] = purposes;
  return { message, copies: [copy(first), ...others.map(copy)] };
};

export const mailingOf = (body: ReceivedBody, purposes: readonly CopyPurpose[]): Mailing => ({
  ...messageOf(body.size, purposes),
  body,
});

export const noticeOf = (body: Uint8Array): OwnMailing => ({ ...messageOf(body.length, []), body });

export const receive = async (spool: Spool, content: Uint8Array): Promise<ReceivedBody> =>
  valueOf(await spool.receive(chunksOf(content)));

/** Keeps a message with one copy, and returns the copy's id. */
export const keepOne = async (spool: Spool, { size = 10, account = "account" } = {}): Promise<CopyId> => {
  const mailing = mailingOf(await receive(spool, contentOf(1, size)), [forward(account)]);
  valueOf(await spool.keep(mailing));
  return mailing.copies[0].id;
};
