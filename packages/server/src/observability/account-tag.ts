import { createHmac, hkdfSync } from "node:crypto";
import type { AccountId } from "@postern/core";

/**
 * Names accounts in logs: the same account the same way on every machine and after every restart, as long as the
 * secret stays. Nobody without the secret can tell whose tag it is, not even by trying out every account.
 */
export const accountTags = (secret: string) => {
  // A key of its own: a tag must not be of use as the seal of a link.
  const key = Buffer.from(hkdfSync("sha256", secret, "", "postern account tag", 32));
  return (account: AccountId): string =>
    createHmac("sha256", key).update(account).digest().subarray(0, 12).toString("base64url");
};
