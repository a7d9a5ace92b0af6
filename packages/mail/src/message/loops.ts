import type { Secrets } from "@postern/core";
import { hashed } from "@postern/core/operations";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";

/** The field that marks messages that a deployment has forwarded. */
export const LOOP_FIELD = "X-Postern-Loop";

/**
 * The most servers that a message may have passed through. RFC 5321, section 6.3, asks for at least 100, but a message in a loop passes
 * through several on each round.
 */
export const MAX_HOPS = 50;

/** 16 hexadecimal digits that are the same for all servers with the same secret, and for no others. */
export const loopMark = (hash: Secrets["hash"]): string => hashed(hash, "loop mark", "0123456789abcdef", 16);

/** The marks of all deployments of Postern that have forwarded the message. */
export const loopMarks = (fields: readonly HeaderField[]): readonly string[] =>
  HeaderFields.values(fields, LOOP_FIELD.toLowerCase()).filter((mark) => /^[0-9a-f]{16}$/.test(mark));

/** How many servers the message has passed through, as far as they have left a trace (RFC 5321, section 4.4). */
export const hops = (fields: readonly HeaderField[]): number =>
  fields.filter(({ name }) => name === "received").length;
