import { createHmac, hkdfSync } from "node:crypto";
import type { AccountId } from "@postern/core";

/** How many tags are cached: computing one takes 10 µs, a tenth of a request. */
const MAX_TAGS = 10_000;

/**
 * Names for accounts in logs. An account has the same tag on every machine and after every restart, as long as the secret
 * is the same. Without the secret, a tag cannot be traced to its account, not even by trying out all accounts.
 */
export const accountTags = (secret: string) => {
  // A separate key, so that a tag can never pass as the signature of a link.
  const key = Buffer.from(hkdfSync("sha256", secret, "", "postern account tag", 32));
  const compute = (account: AccountId): string =>
    createHmac("sha256", key).update(account).digest().subarray(0, 12).toString("base64url");
  const remembered = new Map<AccountId, string>();
  return (account: AccountId): string => {
    const known = remembered.get(account);
    if (known !== undefined) return known;
    const tag = compute(account);
    if (remembered.size === MAX_TAGS) remembered.clear();
    remembered.set(account, tag);
    return tag;
  };
};
