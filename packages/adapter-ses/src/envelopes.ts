import { err, ok, type Result } from "@postern/core";
import * as z from "zod";

/** An event or a notification of SES. */
export type SesEvent = {
  /** Such as `Bounce`. */
  readonly type: string;
  readonly event: unknown;
};

/** In characters: as many octets as a message of SQS can have. */
const MAX_LENGTH = 2 ** 20;

/** SNS can pass on what EventBridge has passed on. */
const MOST_ENVELOPES = 2;

const Envelope = z.union([
  // Of SNS, unless it delivers messages raw.
  z.object({ Type: z.literal("Notification"), Message: z.string() }).transform(({ Message }) => Message),
  // Of EventBridge.
  z.object({ source: z.literal("aws.ses"), detail: z.looseObject({}) }).transform(({ detail }) => detail),
]);

/** Event publishing has `eventType`, and everything else `notificationType`. */
const Typed = z.union([
  z.object({ eventType: z.string() }).transform(({ eventType }) => eventType),
  z.object({ notificationType: z.string() }).transform(({ notificationType }) => notificationType),
]);

/** What SNS and SES send once when they are set up, besides JSON. */
const ANNOUNCEMENT = /^Successfully validated SNS topic for Amazon SES event publishing\.?\s*$/;

const fromJson = (text: string): Result<unknown, string> => {
  try {
    return ok(JSON.parse(text));
  } catch {
    return err("it is not JSON");
  }
};

const open = (input: unknown, envelopes: number): Result<SesEvent | null, string> => {
  if (typeof input === "string") {
    if (ANNOUNCEMENT.test(input)) return ok(null);
    return fromJson(input).andThen((parsed) =>
      typeof parsed === "string" ? err("it is not an event of SES") : open(parsed, envelopes),
    );
  }
  const type = Typed.safeParse(input);
  if (type.success) return ok({ type: type.data, event: input });
  const inner = Envelope.safeParse(input);
  if (!inner.success || envelopes === 0) return err("it is not an event of SES");
  return open(inner.data, envelopes - 1);
};

/**
 * What SES has written, as it is in a queue: alone, or in the envelope of SNS or EventBridge; null for an announcement, which says nothing.
 * Takes any text. What cannot be read results in why, for the operator, without anything that it contains.
 */
export const openEnvelopes = (body: string): Result<SesEvent | null, string> =>
  body.length > MAX_LENGTH ? err("it is larger than a message of SQS can be") : open(body, MOST_ENVELOPES);

/** Reads an event of a known type. */
export const readAs = <T>(schema: z.ZodType<T>, { event }: SesEvent): Result<T, string> => {
  const read = schema.safeParse(event);
  if (read.success) return ok(read.data);
  // The names of members are ours, and never what the event contains.
  return err(`${read.error.issues[0]?.path.join(".")} is missing, or not of the type that SES documents`);
};
