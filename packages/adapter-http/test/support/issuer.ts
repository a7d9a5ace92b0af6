import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, type JWTHeaderParameters, SignJWT } from "jose";

export const AUDIENCE = "the-client";

type Claims = { readonly [claim: string]: unknown };

/** Key pairs that are not in use: making one takes a tenth of a second. */
const spare: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }[] = [];

const newKey = async (kid: string, bits = 2048) => {
  const pair = (bits === 2048 && spare.shift()) || generateKeyPairSync("rsa", { modulusLength: bits });
  const { privateKey, publicKey } = pair;
  return {
    pair,
    kid,
    privateKey,
    publicKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" },
  };
};

/** An identity provider. It serves its JWKS over real HTTP and signs its tokens with its newest key. */
export const startIssuer = async (name = "https://issuer.test/pool") => {
  let newest = await newKey("key-1");
  const used = [newest.pair];
  let published: readonly unknown[] = [newest.jwk];
  let mode:
    | "well"
    | "broken"
    | "moved"
    | "not-json"
    | "not-jwks"
    | "not-http"
    | "hanging-up"
    | "empty"
    | "silent"
    | "endless" = "well";
  let fetches = 0;
  let padding = 0;
  let sent = 0;
  const server = createServer((request, response) => {
    fetches += 1;
    if (mode === "silent") return;
    if (mode === "hanging-up") {
      request.socket.destroy();
      return;
    }
    if (mode === "not-http") {
      request.socket.end("ada@example.com\r\n\r\n");
      return;
    }
    if (mode === "endless") {
      const spaces = Buffer.alloc(64 * 1024, " ");
      const send = () => {
        do sent += spaces.length;
        while (response.write(spaces));
      };
      response.on("drain", send);
      send();
      return;
    }
    if (mode === "broken") response.statusCode = 500;
    if (mode === "moved" && request.url === "/jwks.json") response.writeHead(302, { location: "/elsewhere" });
    const jwks = JSON.stringify({ keys: mode === "empty" ? [] : published });
    const bodies: Partial<Record<typeof mode, string>> = { "not-json": "<html>", "not-jwks": '{"keys":1}' };
    response.end((bodies[mode] ?? jwks).padEnd(padding));
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
    /** The first key pair. */
    privateKey: newest.privateKey,
    publicKey: newest.publicKey,
    goodClaims,
    behave: (as: typeof mode) => {
      mode = as;
    },
    /** Publishes these keys as well. */
    publish: (...keys: readonly unknown[]) => {
      published = [...published, ...keys];
    },
    /** Pads the JWKS with spaces, up to this many bytes. */
    pad: (bytes: number) => {
      padding = bytes;
    },
    /** How many bytes it has sent of an endless JWKS. */
    sent: () => sent,
    /** How often its keys have been fetched. */
    fetches: () => fetches,
    /**
     * Signs with a new key from now on, and withdraws the previous ones unless `keep` is set. The key is published with these
     * `members` (undefined omits one).
     */
    rotate: async (
      kid: string,
      { keep = false, bits, members = {} }: { keep?: boolean; bits?: number; members?: Claims } = {},
    ) => {
      newest = await newKey(kid, bits);
      if (bits === undefined) used.push(newest.pair);
      const jwk = { ...newest.jwk, ...members };
      published = keep ? [...published, jwk] : [jwk];
      return newest.privateKey;
    },
    /** A valid token except for `claims` (undefined omits one) and `header`. */
    token: (
      claims: Claims = {},
      header: Partial<JWTHeaderParameters> = {},
      key = newest.privateKey,
    ): Promise<string> =>
      new SignJWT({ ...goodClaims(), ...claims })
        .setProtectedHeader({ alg: "RS256", kid: newest.kid, ...header })
        .sign(key),
    stop: () => {
      spare.push(...used.splice(0));
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
export type Issuer = Awaited<ReturnType<typeof startIssuer>>;
