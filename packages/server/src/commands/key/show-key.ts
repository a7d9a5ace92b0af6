import { ApiKey } from "@postern/core";
import { printable } from "../printable.ts";
import { timeOf } from "../time-of.ts";

const lineOf = (key: ApiKey): string =>
  [
    printable(key.name),
    ApiKey.isExpired(key, Date.now()) ? "expired" : key.scopes.join(", "),
    key.lastUse === null ? "never used" : `last used ${timeOf(key.lastUse.at)} by ${key.lastUse.by}`,
    key.id,
  ].join("\t");

/** What is known about a key, as JSON. */
export const jsonOf = ({ id, name, scopes, aliasDomain, recipientIds, expiresAt, lastUse }: ApiKey) => ({
  key: id,
  name,
  scopes,
  domain: aliasDomain,
  recipients: recipientIds,
  expires: expiresAt,
  last_used: lastUse?.at ?? null,
  by: lastUse?.by ?? null,
});

/** How a command shows a key, on one line. */
export const showKey =
  (flags: ReadonlySet<string>) =>
  (key: ApiKey): string =>
    flags.has("json") ? JSON.stringify(jsonOf(key)) : lineOf(key);
