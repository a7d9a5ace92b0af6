import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { freePort } from "@postern/test-support/free-port";
import { createTransport } from "nodemailer";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";
import { announce } from "../support/announce.ts";
import { DOMAIN } from "../support/fixture.ts";
import { readMailSetup } from "../support/mail-setup.ts";
import { mailboxesOf, RELAY_CONNECTIONS } from "./shared/forwarding.ts";

/*
 * The least code: smtp-server receives, and nodemailer signs and sends. Each message is flushed to a file before it is accepted. Nothing
 * reads the files again after a crash, and nothing is tried twice.
 */

const { fixture, directory, relayPort, dkimKey } = readMailSetup();
mkdirSync(directory, { recursive: true });
const mailboxes = mailboxesOf(fixture);

const relay = createTransport({
  host: "127.0.0.1",
  port: relayPort,
  ignoreTLS: true,
  pool: true,
  maxConnections: RELAY_CONNECTIONS,
  maxMessages: Number.POSITIVE_INFINITY,
  dkim: { domainName: DOMAIN, keySelector: "s", privateKey: dkimKey },
});

const accept = async (stream: SMTPServerDataStream, from: string, to: readonly string[]): Promise<void> => {
  const raw = await buffer(stream);
  const file = join(directory, randomUUID());
  await writeFile(file, raw, { flush: true });
  const forward = async () => {
    await relay.sendMail({ envelope: { from, to: to.flatMap((alias) => mailboxes.get(alias) ?? []) }, raw });
    await rm(file);
  };
  forward().catch(console.error);
};

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  disableReverseLookup: true,
  onRcptTo: ({ address }, _session, callback) =>
    callback(mailboxes.has(address) ? null : new Error("no such alias")),
  onData: (stream, { envelope: { mailFrom, rcptTo } }, callback) => {
    const from = mailFrom === false ? "" : mailFrom.address;
    accept(
      stream,
      from,
      rcptTo.map(({ address }) => address),
    ).then(() => callback(), callback);
  },
});
const port = await freePort();
server.listen(port, "127.0.0.1", () => announce({ mailPort: port }));
