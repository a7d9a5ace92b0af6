import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = { ...publicKey.export({ format: "jwk" }), kid: "test", alg: "RS256", use: "sig" };

/** How an issuer deviates from what it should do. */
export type IssuerFaults = {
  /** What it calls itself; its URL by default. */
  readonly issuer?: string;
  /** Where it says that its keys are; where they are by default. */
  readonly jwksUri?: string;
  /** How far its clock is ahead, in seconds. */
  readonly ahead?: number;
  /** Its keys; by default one that can be used. */
  readonly keys?: readonly object[];
  /** The status of the response with its keys. */
  readonly status?: number;
  /** Where it says that tokens come from; at its own URL by default. */
  readonly tokenEndpoint?: string;
  /** The methods of PKCE that it says it supports; it says nothing by default. */
  readonly challengeMethods?: readonly string[];
  /** The origin whose pages may read its configuration; all by default. */
  readonly readers?: string;
  /** The status of the response with its configuration. */
  readonly configuration?: number;
};

/** An issuer on loopback that publishes its configuration, keys and time. */
export const startDiscoveredIssuer = async (faults: IssuerFaults = {}) => {
  const server = createServer((request, response) => {
    const { issuer = url, jwksUri = `${url}/keys`, keys = [key] } = faults;
    const documents: Readonly<Record<string, object>> = {
      "/.well-known/openid-configuration": {
        issuer,
        jwks_uri: jwksUri,
        token_endpoint: faults.tokenEndpoint ?? `${url}/token`,
        code_challenge_methods_supported: faults.challengeMethods,
      },
      "/keys": { keys },
      "/.well-known/jwks.json": { keys },
      "/other-keys": { keys },
    };
    const document = documents[request.url ?? ""];
    response.statusCode = document === undefined ? 404 : 200;
    if (request.url === "/keys") response.statusCode = faults.status ?? 200;
    if (request.url === "/.well-known/openid-configuration")
      response.statusCode = faults.configuration ?? 200;
    // Otherwise a client in this process could send its next request when this server gives up the idle connection.
    response.setHeader("connection", "close");
    response.setHeader("access-control-allow-origin", faults.readers ?? "*");
    response.setHeader("date", new Date(Date.now() + (faults.ahead ?? 0) * 1000).toUTCString());
    response.end(JSON.stringify(document ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
