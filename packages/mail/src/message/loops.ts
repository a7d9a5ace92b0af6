import type { Secrets } from "@postern/core";
import { hashed } from "@postern/core/operations";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";

/** The field that marks messages that a deployment has forwarded. */
export const LOOP_FIELD = "X-Postern-Loop";

/** RFC 5321, section 6.3, asks for at least 100, but a message in a loop passes through several servers on each round. */
const MAX_HOPS = 50;

/** 16 hexadecimal digits that are the same for all servers with the same secret, and for no others. */
export const loopMark = (hash: Secrets["hash"]): string => hashed(hash, "loop mark", "0123456789abcdef", 16);

/** The marks of all deployments of Postern that have forwarded the message. */
export const loopMarks = (fields: readonly HeaderField[]): readonly string[] =>
  HeaderFields.values(fields, LOOP_FIELD.toLowerCase()).filter((mark) => /^[0-9a-f]{16}$/.test(mark));

/** Whether the message has passed through more servers than any message needs. */
export const hasTooManyHops = (fields: readonly HeaderField[]): boolean =>
  fields.filter(({ name }) => name === "received").length > MAX_HOPS;
