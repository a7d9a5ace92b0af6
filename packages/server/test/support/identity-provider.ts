import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** An issuer on loopback. It responds with its key only once `release` has been called. */
export const startIdentityProvider = async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...publicKey.export({ format: "jwk" }), kid: "test", alg: "RS256", use: "sig" };
  const server = createServer(async (_request, response) => {
    await released;
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: [key] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: "client", sub: "somebody", token_use: "id", iat: now, exp: now + 600 };
  const signed = `${encode({ alg: "RS256", kid: "test" })}.${encode(claims)}`;
  const token = `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;

  return {
    issuer,
    /** An ID token for the audience `client`. */
    token,
    release,
    stop: async () => {
      release();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
