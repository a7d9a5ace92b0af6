import type { Result } from "neverthrow";
import * as z from "zod";
import type { Brand } from "../values/brand.ts";
import {
  type Domain,
  domain,
  type EmailAddress,
  emailAddress,
  MAX_ADDRESS_LENGTH,
} from "../values/email-address.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";

/**
 * Whose mail is meant: one email address, or a domain with all its subdomains. The text is a valid `EmailAddress`, or a valid
 * `Domain` of at most 11 labels.
 */
export type Sender = Brand<string, "Sender">;

/** The maximum number of labels of a domain that is a sender. So an address is covered by at most 10 domains. */
const MAX_LABELS = 11;

export const sender = z
  .string()
  .max(MAX_ADDRESS_LENGTH, `must be at most ${MAX_ADDRESS_LENGTH} characters`)
  .transform((text, context) => {
    const { data, success } = text.includes("@") ? emailAddress.safeParse(text) : domain.safeParse(text);
    if (!success)
      context.addIssue("must be an email address such as name@example.com or a domain such as example.com");
    else if (!data.includes("@") && data.split(".").length > MAX_LABELS)
      context.addIssue(`must have at most ${MAX_LABELS} labels`);
    else return data as string as Sender;
    return z.NEVER;
  });

/** Parses a sender. What contains an `@` is parsed as an email address, everything else as a domain. */
export const parseSender = (input: unknown): Result<Sender, InvalidRequest> => parse(sender, input);

export const Sender = {
  /** Two senders are the same when their keys are equal. The key of an address is its `EmailAddress.key`, that of a domain the domain. */
  key: (sender: Sender): string => sender.toLowerCase(),

  /**
   * The keys of all senders that cover the address, or all addresses of the domain, at most 11, each once: the address if it is one, the
   * domain, and every domain above that has at least two labels.
   */
  keysOf: (author: EmailAddress | Domain): readonly string[] => {
    const labels = author.slice(author.lastIndexOf("@") + 1).split(".");
    const domains = labels.slice(0, -1).map((_, first) => labels.slice(first).join("."));
    return [...(author.includes("@") ? [author.toLowerCase()] : []), ...domains.slice(1 - MAX_LABELS)];
  },
};
