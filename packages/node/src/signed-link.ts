import { createHmac, timingSafeEqual } from "node:crypto";
import type { LinkClaims, NonEmpty } from "@postern/core";
import { parseLinkClaims } from "./link-claims.ts";

const mac = (key: string, payload: string): string =>
  createHmac("sha256", key).update(payload).digest("base64url");

/**
 * Compares two texts in constant time. Compares the texts, not the bytes they encode, because decoding base64url ignores
 * unused bits and invalid characters.
 */
const same = (a: string, b: string): boolean => {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * Opens a link of version 0.1, which was signed and not encrypted: `base64url(JSON of the claims) + "." +
 * base64url(HMAC-SHA-256)`. Such links expire 24 hours after the last process was upgraded.
 */
export const openSignedLink = (keys: NonEmpty<string>, token: string): LinkClaims | null => {
  const [payload, seal, ...rest] = token.split(".");
  if (payload === undefined || seal === undefined || rest.length > 0) return null;
  if (!keys.some((key) => same(mac(key, payload), seal))) return null;
  const claims = parseJson(Buffer.from(payload, "base64url").toString());
  return typeof claims === "object" && claims !== null ? parseLinkClaims({ ...claims, mailbox: null }) : null;
};
