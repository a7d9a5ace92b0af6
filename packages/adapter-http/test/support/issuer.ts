import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";

export const AUDIENCE = "the-client";

type Claims = { readonly [claim: string]: unknown };

/** An identity provider of one key: its JWKS is served by real HTTP, its tokens are really signed. */
export const startIssuer = async (name = "https://issuer.example/pool") => {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "key-1", alg: "RS256", use: "sig" };
  let mode: "well" | "broken" | "moved" | "not-json" | "silent" = "well";
  let fetches = 0;
  const server = createServer((request, response) => {
    fetches += 1;
    if (mode === "silent") return;
    if (mode === "broken") response.statusCode = 500;
    if (mode === "moved" && request.url === "/jwks.json") response.writeHead(302, { location: "/elsewhere" });
    response.end(mode === "not-json" ? "<html>" : JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const now = () => Math.floor(Date.now() / 1000);
  const goodClaims = (): Claims => ({
    iss: name,
    aud: AUDIENCE,
    sub: "alice",
    token_use: "id",
    iat: now(),
    exp: now() + 3600,
  });

  return {
    name,
    jwksUri: `http://127.0.0.1:${port}/jwks.json`,
    privateKey,
    publicKey,
    goodClaims,
    behave: (as: typeof mode) => {
      mode = as;
    },
    fetches: () => fetches,
    /** A good token but for `claims` (undefined leaves one out) and `header`. */
    token: (
      claims: Claims = {},
      header: Partial<JWTHeaderParameters> = {},
      key = privateKey,
    ): Promise<string> =>
      new SignJWT({ ...goodClaims(), ...claims })
        .setProtectedHeader({ alg: "RS256", kid: "key-1", ...header })
        .sign(key),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
export type Issuer = Awaited<ReturnType<typeof startIssuer>>;
