import { createRemoteJWKSet, jwtVerify } from "jose";

const MAX_TOKENS = 10_000;

/**
 * How the user-written baselines check tokens: jose, with a cache in front of it, without which each request would cost
 * a signature verification. Resolves to the account of an `Authorization` header, null if there is none.
 */
export const tokenVerifier = (
  issuer: string,
  audience: string,
): ((header: string | undefined) => Promise<string | null>) => {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  const known = new Map<string, { readonly account: string; readonly exp: number }>();

  return async (header) => {
    if (header === undefined || !header.startsWith("Bearer ")) return null;
    const token = header.slice(7);
    const found = known.get(token);
    if (found !== undefined && found.exp > Date.now() / 1000) return found.account;
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ["RS256"],
        requiredClaims: ["sub", "exp"],
      });
      const { sub, exp } = payload;
      if (payload["token_use"] !== "id" || sub === undefined || exp === undefined) return null;
      const [oldest] = known.keys();
      if (known.size >= MAX_TOKENS && oldest !== undefined) known.delete(oldest);
      known.set(token, { account: sub, exp });
      return sub;
    } catch {
      return null;
    }
  };
};
