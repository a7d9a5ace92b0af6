import { descriptions } from "./variables.ts";

/** Variables with a URL whose host exists only in the operator's own setup. */
const URLS: ReadonlySet<string> = new Set([
  "POSTERN_ISSUER",
  "POSTERN_JWKS_URI",
  "POSTERN_PUBLIC_URL",
  "POSTERN_SMTP_URL",
  "POSTERN_RELAY_URL",
  "POSTERN_REDIS_URL",
  "POSTERN_POSTGRES_URL",
]);

const SECRETS: ReadonlySet<string> = new Set([
  "POSTERN_LINK_SECRET",
  "POSTERN_MAILBOX_SECRET",
  "POSTERN_GATEWAY_SECRET",
]);

/** Other variables whose example value cannot be right for anybody. */
const OTHERS: ReadonlySet<string> = new Set([
  "POSTERN_AUDIENCE",
  "POSTERN_ALIAS_DOMAINS",
  "POSTERN_MAIL_FROM",
  "POSTERN_MX_NAME",
  "POSTERN_POSTMASTER",
]);

/** Names that nobody can have (RFC 2606), except those for tests: `.test` and `.localhost`. */
const EXAMPLE_HOST = /(?:^|\.)(?:example|invalid|example\.(?:com|net|org))\.?$/i;

/** The issuer in the documentation of Cognito. */
const COGNITO = /\/\/cognito-idp\.REGION\.|\/POOL_ID$/;

const examples = new Map(descriptions.map(({ name, example }) => [name, example]));

const EXAMPLE = "is the example value from the documentation: set your own";

/** What is wrong with a value that was copied from the documentation; null if it was not. */
export const placeholderProblem = (name: string, value: string): string | null => {
  if (SECRETS.has(name)) {
    // This includes a command that no shell has run, as in a systemd environment file.
    const copied = value.split(",").some((secret) => secret.trim() === examples.get(name));
    return copied || value.includes("openssl rand") ? EXAMPLE : null;
  }
  if (!URLS.has(name)) return OTHERS.has(name) && value === examples.get(name) ? EXAMPLE : null;
  if (value === examples.get(name) || COGNITO.test(value)) return EXAMPLE;
  const host = URL.parse(value)?.hostname;
  return host !== undefined && EXAMPLE_HOST.test(host)
    ? "names a host that is reserved for examples: set your own"
    : null;
};
