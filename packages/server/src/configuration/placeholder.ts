import type { Key } from "./names.ts";
import { exampleOf } from "./variables.ts";

/** Variables with a URL whose host exists only in the operator's own setup. */
const URLS: ReadonlySet<Key> = new Set([
  "issuer",
  "jwksUri",
  "publicUrl",
  "keysUrl",
  "webUrl",
  "webTokenOrigin",
  "serviceUrl",
  "smtpUrl",
  "relayUrl",
  "redisUrl",
  "postgresUrl",
]);

const SECRETS: ReadonlySet<Key> = new Set(["linkSecrets", "mailboxSecret", "gatewaySecret"]);

/** Other variables whose example value cannot be right for anybody. */
const OTHERS: ReadonlySet<Key> = new Set([
  "audience",
  "webClient",
  "aliasDomains",
  "mailFrom",
  "mxName",
  "postmaster",
]);

/** Names that nobody can have (RFC 2606), except those for tests: `.test` and `.localhost`. */
const EXAMPLE_HOST = /(?:^|\.)(?:example|invalid|example\.(?:com|net|org))\.?$/i;

/** The issuer in the documentation of Cognito. */
const COGNITO = /\/\/cognito-idp\.REGION\.|\/POOL_ID$/;

const EXAMPLE = "is the example value from the documentation: set your own";

/** What is wrong with a value that was copied from the documentation; null if it was not. */
export const placeholderProblem = (key: Key, value: string): string | null => {
  const example = exampleOf(key);
  if (!URLS.has(key)) {
    const copied = [value, ...value.split(",")].some((item) => item.trim() === example);
    if (OTHERS.has(key)) return copied ? EXAMPLE : null;
    // This includes a command that no shell has run, as in a systemd environment file.
    return SECRETS.has(key) && (copied || value.includes("openssl rand")) ? EXAMPLE : null;
  }
  if (value === example || COGNITO.test(value)) return EXAMPLE;
  const host = URL.parse(value)?.hostname;
  return host !== undefined && EXAMPLE_HOST.test(host)
    ? "names a host that is reserved for examples: set your own"
    : null;
};
