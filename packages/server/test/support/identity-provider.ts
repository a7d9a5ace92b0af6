import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

const newPair = () => generateKeyPairSync("rsa", { modulusLength: 2048 });

/** That of all issuers: making one takes as long as starting a server. */
let pair: ReturnType<typeof newPair> | undefined;

/** An issuer on loopback. It responds with its key once `release` is called, and until `hang` is called. */
export const startIdentityProvider = async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let hangs = false;
  let broken = false;
  pair ??= newPair();
  const { publicKey, privateKey } = pair;
  const key = { ...publicKey.export({ format: "jwk" }), kid: "test", alg: "RS256", use: "sig" };
  const server = createServer(async ({ url }, response) => {
    await released;
    if (hangs) return;
    if (broken) response.statusCode = 500;
    const configuration = { issuer, jwks_uri: `${issuer}/keys` };
    const document = url === "/.well-known/openid-configuration" ? configuration : { keys: [key] };
    response.setHeader("content-type", "application/json").end(JSON.stringify(document));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: "client", token_use: "id", iat: now, exp: now + 600 };
  const tokenOf = (sub: string, kid = "test", changed: object = {}): string => {
    const signed = `${encode({ alg: "RS256", kid })}.${encode({ ...claims, sub, ...changed })}`;
    return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
  };

  return {
    issuer,
    /** An ID token for the audience `client`. */
    token: tokenOf("somebody"),
    /** The same for another account, with the id of another key in its header, or with other claims. */
    tokenOf,
    release,
    /** From now on, requests for the key get no response. */
    hang: () => {
      hangs = true;
    },
    /** Whether requests for the key get a 500 from now on. */
    break: (breaks: boolean) => {
      broken = breaks;
    },
    stop: async () => {
      release();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
