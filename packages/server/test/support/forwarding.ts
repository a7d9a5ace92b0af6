import { readFile } from "node:fs/promises";
import { memoryStore } from "@postern/adapter-memory";
import { dkimSigner, smtpRelay } from "@postern/adapter-smtp";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { COPIES_AT_ONCE, mailPlane } from "@postern/mail";
import type { SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";
import { newMailEnvironment } from "./mail-environment.ts";
import { startRelay } from "./relay.ts";

const DOMAINS = ["alias.example", "second.example"];

/** The mail plane with a real relay, as in `newForwardingTo`. */
export const newForwarding = async (options: SMTPServerOptions = {}, query = "") => {
  const relay = await startRelay(() => {}, options);
  return { ...(await newForwardingTo(`${relay.url}${query}`)), relay };
};

/**
 * The mail plane with the relay at this URL, a real signer and a spool on the disk, and a clock that the test sets. Nothing is forwarded
 * except by `forward`.
 */
export const newForwardingTo = async (relayUrl: string) => {
  const { variables } = await newMailEnvironment();
  const { clock, secrets, ...ports } = testPorts();
  const store = memoryStore();
  const service = postern({ store, aliasDomains: DOMAINS, clock, secrets, ...ports });
  const spool = valueOf(await sqliteSpool({ path: variables.POSTERN_SPOOL_PATH, limit: 100_000_000 }));
  const smtp = smtpRelay({
    url: relayUrl,
    name: "mx.alias.example",
    connections: COPIES_AT_ONCE,
  });
  const key = await readFile(variables.POSTERN_DKIM_KEY, "utf8");
  onTestFinished(async () => {
    smtp.close();
    await spool.close();
  });
  let ended = 0;
  const plane = mailPlane({
    store,
    spool,
    signer: dkimSigner({ key, selector: "s", arc: null }),
    relay: smtp,
    secrets,
    clock,
    aliasDomains: DOMAINS,
    serverName: "mx.alias.example",
    postmaster: "operator@home.example",
    copiesAtOnce: smtp.connections,
    onCopyEnded: () => {
      ended += 1;
    },
  });
  return {
    /** What a command needs to find the spool. */
    variables: { POSTERN_SPOOL_PATH: variables.POSTERN_SPOOL_PATH },
    spool,
    secrets,
    clock,
    /** An alias that forwards to this mailbox. Returns how to replace it. */
    alias: async (email: string, mailbox: string, account: string) => {
      const adopted = async (address: string) =>
        valueOf(await service.adoptRecipient({ account, email: address })).id;
      const recipientIds = [await adopted(mailbox)];
      const { id: aliasId } = valueOf(await service.createAlias({ account, email, recipientIds }));
      return async (other: string): Promise<void> => {
        const recipientIds = [await adopted(other)];
        valueOf(await service.replaceRecipients({ account, aliasId, recipientIds }));
      };
    },
    /** Receives a message to the alias from a verified sender. */
    receive: async (alias: string, text = "Hello\r\n") => {
      const recipient = valueOf(await plane.admitRecipient(alias));
      if (recipient.kind === "report" || recipient.kind === "discard") throw new Error("it is no alias");
      const body = (async function* () {
        yield Buffer.from(text);
      })();
      return valueOf(
        await plane.receiveMessage({
          returnPath: "bob@sender.example",
          header: `From: bob@sender.example\r\nTo: ${alias}\r\nSubject: Hello\r\n`,
          body: valueOf(await spool.receive(body)),
          session: { clientAddress: "192.0.2.1", clientName: "mail.sender.example", protocol: "ESMTPS" },
          authentication: {
            authorDomain: "sender.example",
            spf: "pass",
            dmarc: { verdict: "pass", policy: "none" },
            arc: "none",
            results: "spf=pass",
          },
          alignment: { spf: true, signatures: [], complete: true },
          recipients: [recipient],
        }),
      );
    },
    /** Forwards until no more copies are due. Returns how many were tried. */
    forward: async (): Promise<number> => {
      const endedBefore = ended;
      for (let before = -1; before < ended; ) {
        before = ended;
        valueOf(await plane.forwardCopies());
        await plane.finishForwarding();
      }
      return ended - endedBefore;
    },
  };
};
