import type { Result } from "neverthrow";
import * as z from "zod";
import type { Brand } from "./brand.ts";
import { type Domain, domain, type EmailAddress, emailAddress, MAX_ADDRESS_LENGTH } from "./email-address.ts";
import { type InvalidRequest, parse } from "./parse.ts";

/**
 * Identifies whose mail is meant: one email address, or a domain with all its subdomains. The text is a valid `EmailAddress`, or a valid
 * `Domain` of at most 11 labels.
 */
export type Sender = Brand<string, "Sender">;

/** The maximum number of labels in a domain that is a sender, so that an address is covered by at most 10 domains. */
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

/** Parses a sender. Text that contains an `@` is parsed as an email address, any other text as a domain. */
export const parseSender = (input: unknown): Result<Sender, InvalidRequest> => parse(sender, input);

export const Sender = {
  /**
   * Two senders are the same when their keys are equal. The key of an address is its `EmailAddress.key`; the key of a domain is the domain
   * itself.
   */
  key: (sender: Sender): string => sender.toLowerCase(),

  /**
   * The keys of all senders that cover the address, or all addresses of the domain, at most 11, each once: the address itself, if it is
   * one; the domain; and every parent domain with at least two labels.
   */
  keysOf: (author: EmailAddress | Domain): readonly string[] => {
    const labels = author.slice(author.lastIndexOf("@") + 1).split(".");
    const domains = labels.slice(0, -1).map((_, first) => labels.slice(first).join("."));
    return [...(author.includes("@") ? [author.toLowerCase()] : []), ...domains.slice(1 - MAX_LABELS)];
  },
};
