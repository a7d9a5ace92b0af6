import { err, type NonEmpty, ok, type Result } from "@postern/core";

/**
 * The minimum length of a link secret, in bytes of UTF-8. RFC 2104, section 3, advises against HMAC keys that are
 * shorter than the hash, which for SHA-256 is 32 bytes.
 */
const MIN_BYTES = 32;

/** `message` continues a sentence that starts with the name of the setting. It never contains a secret. */
export type LinkSecretsInvalid = { readonly code: "link_secrets_invalid"; readonly message: string };

const invalid = (message: string) => err({ code: "link_secrets_invalid", message } as const);

/**
 * Parses the secrets that sign verification links: a list of one or more strings of at least 32 bytes (UTF-8) each.
 * Returns a new list. The check is on length alone: the secrets must also be random, for example the output of
 * `openssl rand -base64 48`.
 *
 * @example
 * ```ts
 * const secrets = parseLinkSecrets(process.env.LINK_SECRETS?.split(","));
 * if (secrets.isErr()) console.error(`LINK_SECRETS ${secrets.error.message}`);
 * ```
 */
export const parseLinkSecrets = (input: unknown): Result<NonEmpty<string>, LinkSecretsInvalid> => {
  if (!Array.isArray(input) || !input.every((secret) => typeof secret === "string")) {
    return invalid("must be a list of strings");
  }
  const [first, ...others] = input;
  if (first === undefined) return invalid("must not be empty");
  const short = input.findIndex((secret) => Buffer.byteLength(secret) < MIN_BYTES);
  if (short !== -1)
    return invalid(`must be at least ${MIN_BYTES} bytes long (secret ${short + 1} is shorter)`);
  return ok([first, ...others]);
};
