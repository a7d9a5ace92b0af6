import type { Result } from "neverthrow";
import * as z from "zod";
import type { Brand } from "./brand.ts";
import type {
  ApiKeyId,
  BlockedSenderId,
  ContactId,
  CopyId,
  MessageId,
  RecipientId,
  SpoolId,
  SpoolMark,
  WebhookId,
} from "./identifiers.ts";
import { type InvalidRequest, parse } from "./parse.ts";
import { withGuard } from "./with-guard.ts";

/** An integer from 0 to `below` - 1: `Secrets.random`. */
type Random = (below: number) => number;

/** A keyed hash: `Secrets.hash`. */
type Hash = (text: string) => string;

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 26;

/** 26 characters of `a-z2-7`, for use in larger patterns. */
export const ID_PATTERN = `[a-z2-7]{${LENGTH}}`;
const IS_ID = new RegExp(`^${ID_PATTERN}$`);

const MARK_LENGTH = 8;
const TAG_LENGTH = 8;

/** The mark of a spool, and 8 characters that prove something about it (`hashedTag`), for use in larger patterns. */
export const MARK_PATTERN = `[a-z2-7]{${MARK_LENGTH}}`;
export const TAG_PATTERN = `[a-z2-7]{${TAG_LENGTH}}`;
const IS_MARK = new RegExp(`^${MARK_PATTERN}$`);

const isId = <Id extends Brand<string, string>>(input: unknown): input is Id =>
  typeof input === "string" && IS_ID.test(input);

const id = <Id extends Brand<string, string>>(): z.ZodType<Id, string> =>
  withGuard(z.string().refine(isId<Id>, `must be ${LENGTH} characters of a-z and 2-7`), isId<Id>);

export const messageId = id<MessageId>();
export const copyId = id<CopyId>();
export const contactId = id<ContactId>();
export const blockedSenderId = id<BlockedSenderId>();
export const spoolId = id<SpoolId>();
export const webhookId = id<WebhookId>();
export const apiKeyId = id<ApiKeyId>();

const isMark = (input: unknown): input is SpoolMark => typeof input === "string" && IS_MARK.test(input);

export const spoolMark: z.ZodType<SpoolMark, string> = withGuard(
  z.string().refine(isMark, `must be ${MARK_LENGTH} characters of a-z and 2-7`),
  isMark,
);

/** Parses the mark of a spool: 8 characters of `a-z2-7`. */
export const parseSpoolMark = (input: unknown): Result<SpoolMark, InvalidRequest> => parse(spoolMark, input);

// Safe because ids have more characters, of the same kind.
export const markOfSpool = (spool: SpoolId): SpoolMark => spool.slice(0, MARK_LENGTH) as SpoolMark;

/** Parses a message id: 26 characters of `a-z2-7`. */
export const parseMessageId = (input: unknown): Result<MessageId, InvalidRequest> => parse(messageId, input);

/** Parses a copy id: 26 characters of `a-z2-7`. */
export const parseCopyId = (input: unknown): Result<CopyId, InvalidRequest> => parse(copyId, input);

/** Parses a contact id: 26 characters of `a-z2-7`. */
export const parseContactId = (input: unknown): Result<ContactId, InvalidRequest> => parse(contactId, input);

/** Parses the id of a blocked sender: 26 characters of `a-z2-7`. */
export const parseBlockedSenderId = (input: unknown): Result<BlockedSenderId, InvalidRequest> =>
  parse(blockedSenderId, input);

/** Parses the id of a spool: 26 characters of `a-z2-7`. */
export const parseSpoolId = (input: unknown): Result<SpoolId, InvalidRequest> => parse(spoolId, input);

/** Parses the id of a webhook: 26 characters of `a-z2-7`. */
export const parseWebhookId = (input: unknown): Result<WebhookId, InvalidRequest> => parse(webhookId, input);

/** Parses the id of an API key: 26 characters of `a-z2-7`. */
export const parseApiKeyId = (input: unknown): Result<ApiKeyId, InvalidRequest> => parse(apiKeyId, input);

const draw = (random: Random): string =>
  Array.from({ length: LENGTH }, () => ALPHABET.charAt(random(ALPHABET.length))).join("");

// Safe because all draw from the alphabet of ids.
export const newMessageId = (random: Random): MessageId => draw(random) as MessageId;
export const newCopyId = (random: Random): CopyId => draw(random) as CopyId;
export const newSpoolId = (random: Random): SpoolId => draw(random) as SpoolId;
export const newWebhookId = (random: Random): WebhookId => draw(random) as WebhookId;
export const newApiKeyId = (random: Random): ApiKeyId => draw(random) as ApiKeyId;

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * `length` characters of `alphabet`, which has at most 32, from keyed hashes of the text. The same text always gives the same
 * characters. Each character of a hash in base64url has 6 bits, of which at most 5 are used.
 */
export const hashed = (hash: Hash, text: string, alphabet: string, length: number): string => {
  let characters = "";
  // One hash of 43 characters is enough; a shorter one has to be followed by others.
  for (let part = 0; characters.length < length; part += 1) {
    for (const character of hash(`${part}:${text}`)) {
      // In a hash in another encoding, some characters have the index -1, which is as good as any.
      characters += alphabet.charAt((BASE64URL.indexOf(character) + 1) % alphabet.length);
    }
  }
  return characters.slice(0, length);
};

/** 26 characters of `a-z2-7` from a keyed hash of the text. */
export const hashedId = (hash: Hash, text: string): string => hashed(hash, text, ALPHABET, LENGTH);

/** 8 characters of `a-z2-7` from a keyed hash of the text: 40 bits, for what can only be tried by asking a server. */
export const hashedTag = (hash: Hash, text: string): string => hashed(hash, text, ALPHABET, TAG_LENGTH);

/** The id of a message that is named by the text: the same each time, so that nobody gets it twice. */
export const hashedMessageId = (hash: Hash, text: string): MessageId =>
  // Safe because messages have ids of this form.
  hashedId(hash, `message:${text}`) as MessageId;

/** The id of a copy that is added to a message later: the same no matter who adds it, so that nobody gets two copies. */
export const hashedCopyId = (hash: Hash, message: MessageId, recipient: RecipientId): CopyId =>
  // Safe because copies have ids of this form.
  hashedId(hash, `copy:${message}:${recipient}`) as CopyId;
