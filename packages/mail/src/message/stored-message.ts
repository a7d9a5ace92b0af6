import type { InvalidRequest, MessageId } from "@postern/core";
import {
  isBase32Id,
  isCount,
  isFields,
  isOneOf,
  messageId,
  parse,
  timestamp,
} from "@postern/core/operations";
import { ok, type Result } from "neverthrow";
import * as z from "zod";
import type { Authentication, Message, Session } from "./message.ts";

const VERDICTS = ["none", "pass", "fail", "softfail", "neutral", "temperror", "permerror"] as const;
const PROTOCOLS = ["SMTP", "ESMTP", "ESMTPS"] as const;
const POLICIES = ["none", "quarantine", "reject"] as const;
const ARC_STATES = ["none", "pass", "fail"] as const;

const verdict = z.enum(VERDICTS);

const every = { id: messageId, createdAt: timestamp, header: z.string(), size: z.int().nonnegative() };

export const storedMessage = z.discriminatedUnion("origin", [
  z.object({ ...every, origin: z.literal("own") }),
  z.object({
    ...every,
    origin: z.literal("received"),
    returnPath: z.string(),
    session: z.object({
      clientAddress: z.string(),
      clientName: z.string(),
      protocol: z.enum(PROTOCOLS),
    }),
    authentication: z.object({
      authorDomain: z.string().nullable().default(null),
      spf: verdict,
      dmarc: z.object({ verdict, policy: z.enum(POLICIES) }),
      arc: z.enum(ARC_STATES),
      results: z.string(),
    }),
  }),
]);

const ordinarySession = (input: unknown): Session | null => {
  if (!isFields(input)) return null;
  const { clientAddress, clientName, protocol } = input;
  return typeof clientAddress === "string" && typeof clientName === "string" && isOneOf(PROTOCOLS, protocol)
    ? { clientAddress, clientName, protocol }
    : null;
};

const ordinaryAuthentication = (input: unknown): Authentication | null => {
  if (!isFields(input) || !isFields(input["dmarc"])) return null;
  const { authorDomain, spf, arc, results } = input;
  const { verdict, policy } = input["dmarc"];
  return (authorDomain === null || typeof authorDomain === "string") &&
    isOneOf(VERDICTS, spf) &&
    isOneOf(VERDICTS, verdict) &&
    isOneOf(POLICIES, policy) &&
    isOneOf(ARC_STATES, arc) &&
    typeof results === "string"
    ? { authorDomain, spf, dmarc: { verdict, policy }, arc, results }
    : null;
};

/** A fast path: the same result as the schema for nearly all messages, each of which is read several times. Null for all others. */
const ordinary = (input: unknown): Message | null => {
  if (!isFields(input)) return null;
  const { id, createdAt, header, size, origin, returnPath } = input;
  const session = ordinarySession(input["session"]);
  const authentication = ordinaryAuthentication(input["authentication"]);
  return origin === "received" &&
    isBase32Id<MessageId>(id) &&
    isCount(createdAt) &&
    typeof header === "string" &&
    isCount(size) &&
    typeof returnPath === "string" &&
    session !== null &&
    authentication !== null
    ? { id, createdAt, header, size, origin, returnPath, session, authentication }
    : null;
};

/** Parses a message that was stored as plain data with the fields of `Message`. */
export const parseMessage = (input: unknown): Result<Message, InvalidRequest> => {
  const message = ordinary(input);
  return message === null ? parse(storedMessage, input) : ok(message);
};
