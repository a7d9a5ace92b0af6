/*
 * The HTTP API inside a Hono application, whose own sessions determine the account of each request.
 *
 *     npx -y pnpm@12 install
 *     npx -y pnpm@12 exec node examples/mount-in-hono.ts
 *     curl -H 'X-Session: session-of-alice' http://127.0.0.1:3000/mail/aliases
 */
import { serve } from "@hono/node-server";
import { type Authorizer, createApi, fetchHandler } from "@postern/adapter-http";
import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern } from "@postern/core";
import { nodePorts } from "@postern/node";
import { Hono } from "hono";

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

const handle = fetchHandler(createApi({ postern: service, authorizer, basePath: "/mail", logger: console }));
const app = new Hono();
app.get("/", (context) => context.text("The application's own page"));
app.all("/mail/*", (context) => handle(context.req.raw));

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000), hostname: "127.0.0.1" }, ({ port }) =>
  console.log(`Listening at http://127.0.0.1:${port}`),
);
