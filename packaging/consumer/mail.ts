/* Mail that arrives and is forwarded. Nothing listens on port 9 of this machine. */
import { deepStrictEqual, match } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { memorySpool, memoryStore } from "@postern/adapter-memory";
import { dkimSigner, type SmtpRelay, smtpRelay } from "@postern/adapter-smtp";
import { type SmtpIn, type SmtpInEvent, smtpIn } from "@postern/adapter-smtp-in";
import { parseDomain, parseEmailAddress } from "@postern/core";
import { type MailBody, type MailSigner, mailPlane, type Spool } from "@postern/mail";
import { nodePorts } from "@postern/node";

const name = "mx.alias.example";
const spool: Spool = memorySpool({ limit: 1_000_000 });
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const signer: MailSigner = dkimSigner({
  key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  selector: "postern",
  arc: { server: name },
});
const relay: SmtpRelay = smtpRelay({ url: "smtp://127.0.0.1:9", name, connections: 1 });
const plane = mailPlane({
  store: memoryStore(),
  spool,
  signer,
  relay,
  aliasDomains: ["alias.example"],
  serverName: name,
  postmaster: "me@home.example",
  ...nodePorts({ linkSecrets: ["a secret that is at least 32 bytes long"] }),
});
const events: SmtpInEvent[] = [];
const opened = await smtpIn({
  plane,
  spool,
  name,
  host: "127.0.0.1",
  port: 0,
  tls: null,
  maxMessageSize: 1_000_000,
  dns: null,
  onEvent: (event) => events.push(event),
});
if (opened.isErr()) throw new Error(opened.error.cause.reason);
const server: SmtpIn = opened.value;
const client = connect(server.port, "127.0.0.1");
const [greeting] = await once(client, "data");
match(String(greeting), /^220 mx\.alias\.example /);
client.destroy();
await server.close(10_000);
deepStrictEqual(events, []);

const body: MailBody = {
  size: 7,
  read: async function* () {
    yield new TextEncoder().encode("Hello\r\n");
  },
};
const header = "From: me@alias.example\r\n";
const domain = parseDomain("alias.example");
const to = parseEmailAddress("me@home.example");
if (domain.isErr() || to.isErr()) throw new Error("they are valid");
plane.run();
await plane.stop();

const signed = await signer.sign({ domain: domain.value, header, body, authentication: null });
match(signed.isOk() ? signed.value.header : "", /^DKIM-Signature: v=1; a=rsa-sha256; /);

const answer = await relay.send({ envelope: { from: null, to: to.value }, header, body });
deepStrictEqual(answer.kind, "deferred");
relay.close();
