import type { PortResult } from "@postern/core";
import { err, ok } from "neverthrow";
import { fromOctets } from "../header/octets.ts";
import type { MailBody } from "./mail-body.ts";

/**
 * How much of a body is read to find out what a message is, in octets. Longer reports enclose a message, which is not needed, and an
 * invitation comes before what is attached to it.
 */
const MAX_OCTETS = 256 * 1024;

/** The first 256 KiB of a body, each octet as one character. */
export const readBeginning = async (body: Pick<MailBody, "read">): PortResult<string> => {
  let text = "";
  try {
    for await (const chunk of body.read()) {
      text += fromOctets(chunk.subarray(0, MAX_OCTETS - text.length));
      if (text.length === MAX_OCTETS) break;
    }
  } catch {
    return err({ code: "unavailable", cause: { source: "mail", reason: "the body is gone" } });
  }
  return ok(text);
};
