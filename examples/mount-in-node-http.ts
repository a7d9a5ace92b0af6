/*
 * The HTTP API inside a node:http server, whose own sessions determine the account of each request.
 *
 *     npx -y pnpm@12 install
 *     npx -y pnpm@12 exec node examples/mount-in-node-http.ts
 *     curl -H 'X-Session: session-of-alice' http://127.0.0.1:3000/mail/aliases
 */
import { createServer } from "node:http";
import { type Authorizer, createApi, nodeHandler } from "@postern/adapter-http";
import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern } from "@postern/core";
import { nodePorts } from "@postern/node";

const service = postern({
  store: memoryStore(), // durable stores: see adapter-sqlite, adapter-postgres, adapter-dynamodb
  aliasDomains: ["alias.example"],
  verificationMail: {
    // Or smtpMail(…) from @postern/adapter-smtp, with a `publicUrl` that ends in /mail.
    send: async ({ to, token }) => {
      console.log(`Mail to ${to}: /mail/recipients/verify?token=${token}`);
      return ok();
    },
  },
  ...nodePorts({ linkSecrets: ["replace me with: openssl rand -base64 48"] }),
});

const sessions = new Map([["session-of-alice", "tenant-1"]]);
const authorizer: Authorizer = {
  authorize: async ({ headers }) =>
    parseAccountId(sessions.get(String(headers["x-session"]))).mapErr(() => ({ code: "unauthorized" })),
};

const handle = nodeHandler(createApi({ postern: service, authorizer, basePath: "/mail", logger: console }));
const server = createServer((request, response) =>
  // The function runs for every path except /mail and those below it.
  handle(request, response, () => {
    const isOwn = request.url === "/";
    response.statusCode = isOwn ? 200 : 404;
    response.end(isOwn ? "The application's own page" : "Not found");
  }),
);

server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`Listening at http://127.0.0.1:${address?.port}`);
});
