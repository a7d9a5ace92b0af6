import { ok } from "@postern/core";
import type { Decode } from "./source.ts";

/** A whole number, written with digits only. Any other text is left for the operation to refuse. */
export const asNumber: Decode = (sent) =>
  ok(typeof sent === "string" && /^[0-9]{1,9}$/.test(sent) ? Number(sent) : sent);

/** `true` or `false`. Any other text is left for the operation to refuse. */
export const asBoolean: Decode = (sent) => ok(sent === "true" || sent === "false" ? sent === "true" : sent);
