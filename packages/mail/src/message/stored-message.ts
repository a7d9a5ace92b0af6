import type { InvalidRequest } from "@postern/core";
import { count, messageId, parse, timestamp } from "@postern/core/operations";
import type { Result } from "neverthrow";
import * as z from "zod";
import type { Message } from "./message.ts";

const verdict = z.enum(["none", "pass", "fail", "softfail", "neutral", "temperror", "permerror"]);

const every = { id: messageId, createdAt: timestamp, header: z.string(), size: count };

const storedMessage = z.discriminatedUnion("origin", [
  z.object({ ...every, origin: z.literal("own") }),
  z.object({
    ...every,
    origin: z.literal("received"),
    returnPath: z.string(),
    session: z
      .object({
        clientAddress: z.string(),
        clientName: z.string(),
        protocol: z.enum(["SMTP", "ESMTP", "ESMTPS"]),
      })
      .nullable(),
    authentication: z.object({
      authorDomain: z.string().nullable().default(null),
      spf: verdict,
      dmarc: z.object({ verdict, policy: z.enum(["none", "quarantine", "reject"]) }),
      arc: z.enum(["none", "pass", "fail"]),
      results: z.string(),
    }),
  }),
]);

/** Parses a message that was stored as plain data with the fields of `Message`. */
export const parseMessage = (input: unknown): Result<Message, InvalidRequest> => parse(storedMessage, input);
