import { sqliteSpool } from "@postern/adapter-sqlite";
import {
  newCopyId,
  newMessageId,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { Copy, type CopyPurpose, type CopyState, type OwnMailing } from "@postern/mail";

/*
 * For a test whose own process does not see the disk: fills the spool in this directory with mail to many aliases, has every copy refused,
 * and sends the notices. Prints how many messages were kept, how many notices were sent, and how often there was no room for one.
 */

const NOW = 1_700_000_000_000;
const random = (below: number): number => Math.floor(Math.random() * below);
const to = valueOf(parseEmailAddress("ada@home.example"));
/** The party of notices. */
const NOTICES = "";
/** The part of the header that a notice repeats. */
const HEADER = `References:\r\n${` <${"r".repeat(90)}@sender.example>\r\n`.repeat(140)}`;
const NOTICE = new Uint8Array(20_000);
/** The first ones are in the database, the others in files. */
const SIZES = [20_000, 300_000];

const forward = (n: number): CopyPurpose => ({
  kind: "forward",
  alias: {
    account: valueOf(parseAccountId("account")),
    id: valueOf(parseAliasId(`alias-${n}`)),
    email: valueOf(parseEmailAddress(`alias-${n}@alias.example`)),
  },
  recipient: valueOf(parseRecipientId("recipient")),
  contacts: [],
  isAnswer: false,
  tag: null,
});

const mailingWith = (header: string, body: Uint8Array, purposes: readonly CopyPurpose[]): OwnMailing => {
  const id = newMessageId(random);
  const copy = (purpose: CopyPurpose) =>
    Copy.create({ id: newCopyId(random), message: id, to, purpose }, NOW);
  const [first = { kind: "notice", alias: null }, ...others] = purposes;
  return {
    message: { origin: "own", id, createdAt: NOW, header, size: header.length + body.length },
    copies: [copy(first), ...others.map(copy)],
    body,
  };
};

async function* chunksOf(body: Uint8Array) {
  yield body;
}

const [path = ""] = process.argv.slice(2);
const spool = valueOf(await sqliteSpool({ path, limit: Number.MAX_SAFE_INTEGER }));

/** Whether there was room for the mail. Throws if it was not stored for any other reason. */
const isKept = async (size: number): Promise<boolean> => {
  const mailing = mailingWith(
    HEADER,
    new Uint8Array(size),
    Array.from({ length: 20 }, (_, n) => forward(n)),
  );
  const received = await spool.receive(chunksOf(mailing.body));
  const kept = received.isErr() ? received : await spool.keep({ ...mailing, body: received.value });
  if (kept.isOk()) return true;
  if (received.isOk()) await received.value.discard();
  if (kept.error.code === "unavailable") throw new Error(JSON.stringify(kept.error));
  return false;
};

let [kept, notices, putOff] = [0, 0, 0];
const settlement = (state: CopyState) => ({
  state,
  attempts: 1,
  nextAt: NOW,
  reason: null,
  at: NOW,
  outcomes: [],
});

/** Has copies refused until there is no room for a notice, or no copy left. */
const refuse = async (): Promise<void> => {
  for (;;) {
    const { copies } = valueOf(await spool.take(NOW, 20, [NOTICES]));
    const before = putOff;
    for (const { copy } of copies) {
      const settled = await spool.settle(copy.id, settlement("failed"), mailingWith("", NOTICE, []));
      if (settled.isOk()) continue;
      if (settled.error.code === "unavailable") throw new Error(JSON.stringify(settled.error));
      putOff += 1;
      valueOf(await spool.settle(copy.id, settlement("queued"), null));
    }
    if (copies.length === 0 || putOff > before) return;
  }
};

const sendNotices = async (): Promise<void> => {
  for (;;) {
    const { copies } = valueOf(await spool.take(NOW, 20, ["account"]));
    for (const { copy } of copies) valueOf(await spool.settle(copy.id, settlement("sent"), null));
    notices += copies.length;
    if (copies.length === 0) return;
  }
};

for (const size of SIZES) {
  while (await isKept(size)) kept += 1;
  while (valueOf(await spool.size()).queued > 0) {
    await refuse();
    await sendNotices();
  }
}
const isOpen = await isKept(NOTICE.length);
console.log(JSON.stringify({ kept, notices, putOff, isOpen }));
await spool.close();
