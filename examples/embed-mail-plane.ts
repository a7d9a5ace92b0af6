/*
 * Receiving and forwarding mail inside your own program.
 *
 *     npx -y pnpm@12 install
 *     npx -y pnpm@12 exec node examples/embed-mail-plane.ts
 *
 * Then, for example: swaks --server 127.0.0.1:2525 --to shop@alias.example
 */
import { generateKeyPairSync } from "node:crypto";
import { memorySpool, memoryStore } from "@postern/adapter-memory";
import { dkimSigner } from "@postern/adapter-smtp";
import { smtpIn } from "@postern/adapter-smtp-in";
import { ok, postern, throwing } from "@postern/core";
import { type MailRelay, mailPlane } from "@postern/mail";
import { nodePorts } from "@postern/node";

const { PORT = "2525", DNS = null } = process.env;
const store = memoryStore(); // durable: sqliteStore and sqliteSpool of @postern/adapter-sqlite
const spool = memorySpool({ limit: 1024 ** 3 });
const aliasDomains = ["alias.example"];
const ports = nodePorts({ linkSecrets: ["replace me with: openssl rand -base64 48"] });
const name = "mx.alias.example";
const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

/** Prints instead of sending: use smtpRelay({ url, name, connections }) of @postern/adapter-smtp. */
const relay: MailRelay = {
  send: async ({ envelope, header }) => {
    const [from] = /^From: .*$/m.exec(header) ?? [];
    console.log(`To ${envelope.to} ${from}`);
    return { kind: "accepted" };
  },
};

const service = throwing(
  postern({ store, aliasDomains, verificationMail: { send: async () => ok() }, ...ports }),
);
const account = "tenant-1";
const { id } = await service.adoptRecipient({ account, email: "me@home.example" });
await service.createAlias({ account, email: "shop@alias.example", recipientIds: [id] });

const plane = mailPlane({
  store,
  spool,
  relay,
  signer: dkimSigner({
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
    selector: "postern",
    arc: { server: name },
  }),
  aliasDomains,
  serverName: name,
  postmaster: "me@home.example",
  ...ports,
});
const opened = await smtpIn({
  plane,
  spool: plane.spool,
  name,
  host: "127.0.0.1",
  port: Number(PORT),
  tls: null,
  maxMessageSize: 25 * 1024 ** 2,
  dns: DNS,
});
if (opened.isErr()) throw new Error(`Port ${PORT} cannot be used: ${opened.error.cause.reason}`);
plane.run();
console.log(`Receiving mail on port ${opened.value.port}`);

process.once("SIGTERM", async () => {
  await opened.value.close(10_000);
  await plane.stop();
});
