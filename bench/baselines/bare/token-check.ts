import { createPublicKey, type KeyObject, verify } from "node:crypto";
import * as z from "zod";

const MAX_TOKENS = 10_000;

type Known = { readonly account: string; readonly exp: number };

const Jwks = z.object({
  keys: z.array(z.object({ kid: z.string(), kty: z.string(), n: z.string(), e: z.string() })),
});

const json = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());

/**
 * Returns a function that checks ID tokens with nothing but `crypto.verify`, and caches valid ones. It returns the
 * account that an `Authorization` header stands for; null if there is none.
 */
export const tokenCheck = async (
  issuer: string,
  audience: string,
): Promise<(header: string | undefined) => string | null> => {
  const response = await fetch(`${issuer}/.well-known/jwks.json`);
  const byId = new Map<string, KeyObject>(
    Jwks.parse(await response.json()).keys.map((key) => [key.kid, createPublicKey({ key, format: "jwk" })]),
  );
  const known = new Map<string, Known>();

  const check = (token: string, now: number): Known | null => {
    const [head = "", payload = "", signature = ""] = token.split(".");
    const { alg, kid } = json(head);
    const key = byId.get(kid);
    if (alg !== "RS256" || key === undefined) return null;
    const signed = Buffer.from(token.slice(0, head.length + 1 + payload.length));
    if (!verify("sha256", signed, key, Buffer.from(signature, "base64url"))) return null;
    const { iss, aud, exp, sub, token_use } = json(payload);
    const right =
      iss === issuer && aud === audience && token_use === "id" && typeof sub === "string" && exp > now;
    return right ? { account: sub, exp } : null;
  };

  return (header) => {
    if (header === undefined || !header.startsWith("Bearer ")) return null;
    const token = header.slice(7);
    const now = Date.now() / 1000;
    const found = known.get(token);
    if (found !== undefined && found.exp > now) return found.account;
    try {
      const checked = check(token, now);
      if (checked === null) return null;
      // Evicts the oldest.
      if (known.size >= MAX_TOKENS) for (const oldest of known.keys()) if (known.delete(oldest)) break;
      known.set(token, checked);
      return checked.account;
    } catch {
      return null;
    }
  };
};
