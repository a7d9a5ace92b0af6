/*
 * The HTTP API inside a Fastify application, whose own sessions determine the account of each request.
 *
 *     npx -y pnpm@12 install
 *     npx -y pnpm@12 exec node examples/mount-in-fastify.ts
 *     curl -H 'X-Session: session-of-alice' http://127.0.0.1:3000/mail/aliases
 */
import { type Authorizer, apiPlugin } from "@postern/adapter-http";
import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern } from "@postern/core";
import { nodePorts } from "@postern/node";
import { fastify } from "fastify";

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

const app = fastify();
app.get("/", async () => "The application's own page");
app.register(apiPlugin({ postern: service, authorizer, logger: console }), { prefix: "/mail" });

const url = await app.listen({ port: Number(process.env["PORT"] ?? 3000), host: "127.0.0.1" });
console.log(`Listening at ${url}`);
