import { memorySpool, memoryStore } from "@postern/adapter-memory";
import { type AliasId, type MessageId, postern, type RecipientId, type Store } from "@postern/core";
import type { Tallies } from "@postern/core/store";
import { type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import {
  type ArrivedMail,
  type DueCopy,
  type MailPlane,
  type MailPlanePorts,
  mailPlane,
  type ReceivedBody,
  type Spool,
} from "@postern/mail";
import { beforeEach } from "vitest";
import { ACCOUNT } from "./account.ts";
import { type FakeRelay, fakeRelay, fakeSigner } from "./fake-relay.ts";
import { ALIGNED, AUTHENTIC, authorDomainIn, HEADER } from "./mail.ts";

export const OPERATOR = "operator@home.example";

async function* inChunks(text: string) {
  yield Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The content of a body, one character per octet. */
export const contentOf = async (body: Pick<ReceivedBody, "read">): Promise<string> => {
  let text = "";
  for await (const chunk of body.read()) text += String.fromCharCode(...chunk);
  return text;
};

type Forwarded = ArrivedMail["recipients"][number];

/** The mail plane on a store and a spool in memory, which are new for each test. */
export const useMailPlane = ({ limit = 10_000_000 } = {}) => {
  let store: Store;
  let spool: Spool;
  let ports: TestPorts;
  let relay: FakeRelay;
  /** How many attempts to send a copy have ended. */
  let ended: number;
  beforeEach(() => {
    ended = 0;
    relay = fakeRelay();
    store = memoryStore();
    spool = memorySpool({ limit });
    ports = testPorts();
  });

  const plane = (changed: Partial<MailPlanePorts> = {}) =>
    mailPlane({
      store,
      spool,
      signer: fakeSigner,
      relay,
      secrets: ports.secrets,
      clock: ports.clock,
      aliasDomains: ["alias.example", "second.example"],
      serverName: "mx.alias.example",
      postmaster: OPERATOR,
      verificationSender: "hello@alias.example",
      ...changed,
      onCopyEnded: () => {
        ended += 1;
        changed.onCopyEnded?.();
      },
    });
  const service = () => postern({ store, aliasDomains: ["alias.example", "second.example"], ...ports });
  const body = async (text = "Hello\r\n") => valueOf(await spool.receive(inChunks(text)));

  const world = {
    store: () => store,
    spool: () => spool,
    ports: () => ports,
    /** Accepts everything, until it is told otherwise. */
    relay: () => relay,
    service,
    /** The mail plane, with other ports or settings if given. */
    plane,
    /** The mail plane, with some calls of the spool replaced. */
    withSpool: (changed: Partial<Spool>, settings: Partial<MailPlanePorts> = {}) =>
      plane({ ...settings, spool: { ...spool, ...changed } }),
    /** The mail plane, with some calls on aliases replaced. */
    withAliases: (changed: Partial<Store["aliases"]>, settings: Partial<MailPlanePorts> = {}) =>
      plane({ ...settings, store: { ...store, aliases: { ...store.aliases, ...changed } } }),
    /** The mail plane, with some calls on contacts replaced. */
    withContacts: (changed: Partial<Store["contacts"]>) =>
      plane({ store: { ...store, contacts: { ...store.contacts, ...changed } } }),
    recipient: async (email: string, account: string = ACCOUNT): Promise<RecipientId> =>
      valueOf(await service().adoptRecipient({ account, email })).id,
    alias: async (
      email: string,
      recipientIds: readonly string[],
      account: string = ACCOUNT,
    ): Promise<AliasId> =>
      valueOf(await service().createAlias({ account, email, recipientIds: [...recipientIds] })).id,
    /** The reverse address of a new contact. */
    contact: async (email: string, aliasId: string): Promise<string> =>
      valueOf(await service().createContact({ account: ACCOUNT, aliasId, email })).reverseAddress,
    tallies: async (aliasId: string, account: string = ACCOUNT): Promise<Tallies> =>
      valueOf(await service().getAlias({ account, aliasId })).tallies,
    body,
    /** The admitted recipients at these addresses that mail is forwarded for. */
    admitted: async (addresses: readonly string[], mailPlane = plane()): Promise<readonly Forwarded[]> => {
      const forwarded: Forwarded[] = [];
      for (const address of addresses) {
        const recipient = valueOf(await mailPlane.admitRecipient(address));
        if (recipient.kind !== "report" && recipient.kind !== "discard") forwarded.push(recipient);
      }
      return forwarded;
    },
    /** A message to these addresses, which are admitted now. */
    mail: async (addresses: readonly string[], changed: Partial<ArrivedMail> = {}): Promise<ArrivedMail> => {
      const [first, ...others] = await world.admitted(addresses);
      if (first === undefined) throw new Error("no recipient was admitted");
      const { header = HEADER, authentication = AUTHENTIC } = changed;
      return {
        returnPath: "bob@sender.example",
        header,
        body: await body(),
        session: { clientAddress: "192.0.2.1", clientName: "mail.sender.example", protocol: "ESMTPS" },
        alignment: ALIGNED,
        recipients: [first, ...others],
        ...changed,
        authentication: { ...authentication, authorDomain: authorDomainIn(header) },
      };
    },
    /** Receives a message, and expects something of it to be kept. Returns its id. */
    received: async (mail: ArrivedMail, mailPlane = plane()): Promise<MessageId> => {
      const kept = valueOf(await mailPlane.receiveMessage(mail));
      if (kept === null) throw new Error("nothing of the message was kept");
      return kept;
    },
    /** Forwards until no more copies are due. Returns how many were tried, and when the next one is due. */
    forward: async (mailPlane: MailPlane) => {
      const endedBefore = ended;
      for (;;) {
        const before = ended;
        const nextAt = valueOf(await mailPlane.forwardCopies());
        await mailPlane.finishForwarding();
        const isDue = nextAt !== null && nextAt <= ports.clock.now();
        if (ended === before && !isDue) return { copies: ended - endedBefore, nextAt };
      }
    },
    /** Everything that is queued, and not handed out yet. */
    queued: async (): Promise<readonly DueCopy[]> =>
      valueOf(await spool.take(Number.MAX_SAFE_INTEGER, 10_000, [])).copies,
  };
  return world;
};

/** How often each outcome was counted, without those that never were. */
export const counted = (tallies: Tallies): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(tallies)
      .filter(([, { count }]) => count > 0)
      .map(([outcome, { count }]) => [outcome, count]),
  );
