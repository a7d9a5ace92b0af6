/*
 * The HTTP API inside an Express application, whose own sessions determine the account of each request.
 *
 *     npx -y pnpm@12 install
 *     npx -y pnpm@12 exec node examples/mount-in-express.ts
 *     curl -H 'X-Session: session-of-alice' http://127.0.0.1:3000/mail/aliases
 */
import { type Authorizer, createApi, nodeHandler } from "@postern/adapter-http";
import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern } from "@postern/core";
import { nodePorts } from "@postern/node";
import express from "express";

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

const api = createApi({ postern: service, authorizer, basePath: "/mail", logger: console });
const app = express();
app.use("/mail", nodeHandler(api)); // before body parsers such as express.json()
app.use(express.json());
app.get("/", (_request, response) => void response.send("The application's own page"));

const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`Listening at http://127.0.0.1:${address?.port}`);
});
