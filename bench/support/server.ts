import { spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

/* The real server, and an issuer for its tokens. */

export const DOMAIN = "alias.example.com";

/** The id of the app client that tokens are for. */
export const AUDIENCE = "client";

/** Claims that differ from those of an ordinary ID token. */
export type Claims = Readonly<Record<string, unknown>>;

const tokenOf = (issuer: string, account: string, other: Claims, key: KeyObject): string => {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const iat = Math.floor(Date.now() / 1000);
  const usual = { iss: issuer, aud: AUDIENCE, sub: account, token_use: "id", iat, exp: iat + 3600 };
  const claims = { ...usual, ...other };
  const signed = `${encode({ alg: "RS256", kid: "key" })}.${encode(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
};

export const startIssuer = async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "key", alg: "RS256", use: "sig" }];
  const server = createServer((request, response) => {
    if (request.url === "/.well-known/openid-configuration") response.statusCode = 404;
    response.end(JSON.stringify({ keys }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    token: (account: string, claims: Claims = {}) => tokenOf(url, account, claims, privateKey),
    stop: () => server.close().closeAllConnections(),
  };
};

/** Whether the server gets a core of its own: there are several, and `taskset`. */
const pinned = availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** Keeps the threads of a process away from the server's core. */
export const leaveServerAlone = ({ pid }: { readonly pid?: number | undefined }): void => {
  if (pinned) spawnSync("taskset", ["-apc", `1-${availableParallelism() - 1}`, String(pid)]);
};

/** Starts the server with these variables, without a rate limit, pinned to the first core if that is possible. */
export const startServer = async (variables: Readonly<Record<string, string>>) => {
  const main = fileURLToPath(new URL("../../packages/server/src/main.ts", import.meta.url));
  const [command = "", ...args] = [...(pinned ? ["taskset", "-c", "0"] : []), process.execPath, main];
  const server = spawn(command, args, {
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      POSTERN_AUDIENCE: AUDIENCE,
      POSTERN_ALIAS_DOMAINS: DOMAIN,
      POSTERN_PUBLIC_URL: "https://postern.test",
      POSTERN_LINK_SECRET: "0123456789abcdef0123456789abcdef",
      POSTERN_SMTP_URL: "smtp://127.0.0.1:1",
      POSTERN_MAIL_FROM: "postern@postern.test",
      POSTERN_RATE_LIMIT: "0",
      POSTERN_ACCESS_LOG: "false",
      ...variables,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    server.once("close", () => reject(new Error(`the server did not start: ${output}`)));
  });
  const stop = async () => {
    server.kill("SIGTERM");
    await once(server, "close");
  };
  return { url, pinned, stop };
};
