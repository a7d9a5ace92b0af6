import {
  type AccountId,
  isNonEmpty,
  type NonEmpty,
  newCopyId,
  newMessageId,
  parseAccountId,
  parseAliasId,
  parseContactId,
  parseDomain,
  parseEmailAddress,
  parseRecipientId,
} from "@postern/core";
import { parseMessagePosition } from "@postern/core/store";
import { testPorts, valueOf } from "@postern/core/testing";
import {
  BodyGone,
  Copy,
  type CopyPurpose,
  type DueCopy,
  type LoggedRevision,
  type MailBody,
  type Mailing,
  type OwnMailing,
  type ReceivedBody,
  type ReceivedMessage,
  type RelayAnswer,
  type Settlement,
  type Spool,
  type Unlogged,
  type VerificationPurpose,
} from "@postern/mail";

/* Sample data. Ids never repeat. */

const { secrets } = testPorts();

export const NOW = 1_700_000_000_000;
export const DAY = 24 * 60 * 60 * 1_000;

const MAX_CHUNK = 64 * 1024;

export const account = (n: number): AccountId => valueOf(parseAccountId(`account-${n}`));

/** A copy for recipient number `n` of an alias. */
export const forward = (owner: AccountId, alias = "alias", n = 0): CopyPurpose => ({
  kind: "forward",
  alias: {
    account: owner,
    id: valueOf(parseAliasId(alias)),
    email: valueOf(parseEmailAddress(`shop-${alias.length}@alias.example`)),
  },
  recipient: valueOf(parseRecipientId(`recipient-${n}`)),
  contacts: [
    { id: valueOf(parseContactId("c".repeat(26))), email: valueOf(parseEmailAddress("Bob@sender.example")) },
  ],
  isAnswer: true,
  tag: "news+x",
});

/** A copy of a message that somebody wrote from an alias. */
export const reply = (owner: AccountId): Extract<CopyPurpose, { readonly kind: "reply" }> => ({
  kind: "reply",
  alias: {
    account: owner,
    id: valueOf(parseAliasId("alias")),
    email: valueOf(parseEmailAddress("shop@alias.example")),
  },
  author: valueOf(parseEmailAddress("Me@home.example")),
  unsubscribesFrom: valueOf(parseMessagePosition(`0001700000000000${"m".repeat(26)}`)),
});

/** A message to verify a recipient. */
export const verification = (owner: AccountId): VerificationPurpose => ({
  kind: "verification",
  account: owner,
  recipient: valueOf(parseRecipientId("recipient-0")),
  nonce: "nonce: é 🙂",
  expiresAt: NOW + DAY,
  domain: valueOf(parseDomain("alias.example")),
});

export const NOTICE: CopyPurpose = { kind: "notice", alias: null };
export const POSTMASTER: CopyPurpose = {
  kind: "postmaster",
  address: valueOf(parseEmailAddress("abuse@alias.example")),
};

export const ACCEPTED: RelayAnswer = { kind: "accepted" };
export const REFUSED: RelayAnswer = { kind: "refused", about: "copy", code: 550, status: "5.1.1" };
export const DEFERRED: RelayAnswer = { kind: "deferred", about: "copy", code: 451, status: null };

export const RELAY_DOWN: RelayAnswer = { kind: "deferred", about: "relay", code: null, status: null };

/** Octets that depend on the seed, and do not repeat soon. */
export const octets = (size: number, seed = 1): Uint8Array => {
  const content = new Uint8Array(size);
  let state = seed;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    content[at] = state >>> 24;
  }
  return content;
};

/** The octets in chunks of this size. */
export const inChunks = async function* (content: Uint8Array, size = 10_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.slice(at, at + size);
};

export const receive = async (spool: Spool, content: Uint8Array = octets(10)): Promise<ReceivedBody> =>
  valueOf(await spool.receive(inChunks(content)));

/** Everything in the body. Throws if it has chunks that are too long, or not as many octets as it says. */
export const readBody = async (body: MailBody): Promise<Uint8Array> => {
  const content = new Uint8Array(body.size);
  let at = 0;
  for await (const chunk of body.read()) {
    if (chunk.length > MAX_CHUNK) throw new Error(`a chunk has ${chunk.length} octets`);
    content.set(chunk, at);
    at += chunk.length;
  }
  if (at !== body.size) throw new Error(`the body has ${at} octets, but says that it has ${body.size}`);
  return content;
};

/** Whether the body can never be read again. Throws if it cannot be read for another reason. */
export const isGone = (body: MailBody): Promise<boolean> =>
  readBody(body).then(
    () => false,
    (thrown) => {
      if (thrown instanceof BodyGone) return true;
      throw thrown;
    },
  );

export const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

const newMessage = (bodySize: number, createdAt = NOW): ReceivedMessage => {
  const id = newMessageId(secrets.random);
  const header = `From: Bob <bob@sender.example>\r\nMessage-ID: <${id}@sender.example>\r\n`;
  return {
    origin: "received",
    id,
    createdAt,
    returnPath: "bob@sender.example",
    header,
    size: header.length + 2 + bodySize,
    session: { clientAddress: "192.0.2.1", clientName: "mx.sender.example", protocol: "ESMTPS" },
    authentication: {
      authorDomain: "sender.example",
      spf: "pass",
      dmarc: { verdict: "fail", policy: "quarantine" },
      arc: "none",
      results: "spf=pass smtp.mailfrom=sender.example",
    },
  };
};

/** A message whose body has this size, with one copy for each purpose. */
const newCopies = (
  size: number,
  purposes: NonEmpty<CopyPurpose>,
  createdAt: number,
): Omit<Mailing, "body"> => {
  const message = newMessage(size, createdAt);
  const copies = purposes.map((purpose, n) =>
    Copy.create(
      {
        id: newCopyId(secrets.random),
        message: message.id,
        to: valueOf(parseEmailAddress(`me-${n}@home.example`)),
        purpose,
      },
      createdAt,
    ),
  );
  if (!isNonEmpty(copies)) throw new Error("there is a copy for each purpose");
  return { message, copies };
};

/** A mailing with one copy for each purpose, due when the message was created. */
export const newMailing = (
  body: ReceivedBody,
  purposes: NonEmpty<CopyPurpose>,
  createdAt = NOW,
): Mailing => ({ ...newCopies(body.size, purposes, createdAt), body });

/** A notice that has not been kept yet. */
export const newNotice = (body = octets(500), createdAt = NOW): OwnMailing => ({
  ...newCopies(body.length, [NOTICE], createdAt),
  body,
});

/** Keeps a message with one copy for each purpose. */
export const keepMailing = async (
  spool: Spool,
  purposes: NonEmpty<CopyPurpose> = [forward(account(0))],
  {
    content = octets(10),
    createdAt = NOW,
  }: { readonly content?: Uint8Array; readonly createdAt?: number } = {},
): Promise<Mailing> => {
  const mailing = newMailing(await receive(spool, content), purposes, createdAt);
  valueOf(await spool.keep(mailing));
  return mailing;
};

/** What the relay's answer means for the copy, without any randomness. */
export const settlement = (due: Pick<DueCopy, "copy">, answer: RelayAnswer, now = NOW): Settlement =>
  Copy.after(due.copy, answer, now, () => 0);

/** Hands out everything that is due, and settles it. */
export const settleAll = async (spool: Spool, answer: RelayAnswer, now = NOW): Promise<void> => {
  for (const due of valueOf(await spool.take(now, 1_000, [])).copies) {
    valueOf(await spool.settle(due.copy.id, settlement(due, answer, now), null));
  }
};

/** Sweeps until there is nothing more to forget. */
export const sweepAll = async (spool: Spool, now: number): Promise<void> => {
  for (let calls = 0; valueOf(await spool.sweep(now)); calls += 1) {
    if (calls > 10_000) throw new Error("sweep never ends");
  }
};

/** The report that this state of a message has been logged. */
export const revisionOf = ({ alias, message: { id }, revision }: Unlogged): LoggedRevision => ({
  id,
  account: alias.account,
  alias: alias.id,
  revision,
});

/** Logs everything that is waiting to be logged. */
export const logAll = async (spool: Spool): Promise<void> =>
  valueOf(await spool.logged(valueOf(await spool.unlogged(1_000)).map(revisionOf)));
