import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailServer } from "./support/mail-server.ts";
import { refusal, startRelay } from "./support/relay.ts";
import { submit } from "./support/submit.ts";

/* A message to an alias, from the client that sends it to the mailboxes that it arrives in. */

const [ALIAS, ADA, GRACE] = ["shop@alias.example.com", "ada@home.example", "grace@work.example"];
const [ABANDONED, LOST, GONE] = ["old@alias.example.com", "lost@home.example", "gone@work.example"];
const [DELAYED, SLOW, FAST] = ["letters@alias.example.com", "slow@home.example", "fast@work.example"];

let proceed: (() => void) | undefined;
const relay = await startRelay(() => {}, {
  onRcptTo: ({ address }, _session, done) => {
    if (address === SLOW && proceed === undefined) proceed = done;
    else done(address === LOST || address === GONE ? refusal(550, address) : null);
  },
});
const mail = await newMailServer("alias.example.com", {
  [ALIAS]: [ADA, GRACE],
  [ABANDONED]: [LOST, GONE],
  [DELAYED]: [SLOW, FAST],
});
const { port } = await mail.start({ POSTERN_RELAY_URL: relay.url });

const send = async (to: string) => {
  const text = `From: Bob <bob@sender.test>\r\nTo: ${to}\r\nSubject: Hello\r\n\r\nHow are you?`;
  expect((await submit(port, { to, text })).reply).toMatch(/^250 2\.0\.0 /);
};
const takenFor = (...mailboxes: readonly string[]) => relay.taken.filter(({ to }) => mailboxes.includes(to));

test("a message to an alias arrives at each recipient, signed, and without any recipient's address", async () => {
  await send(ALIAS);
  await expect.poll(() => takenFor(ADA, GRACE)).toHaveLength(2);
  const taken = takenFor(ADA, GRACE);
  expect(taken.map(({ to }) => to).toSorted()).toEqual([ADA, GRACE]);
  expect(new Set(taken.map(({ from }) => from)).size).toBe(2);
  for (const { from, raw } of taken) {
    expect(from).toMatch(/^b-[a-z2-7]{26}-[a-z2-7]{16}@alias\.example\.com$/);
    const message = await PostalMime.parse(Buffer.from(raw, "latin1"));
    expect(message.from).toMatchObject({
      name: "Bob (bob at sender.test)",
      address: expect.stringMatching(/^r-[a-z2-7]{26}@alias\.example\.com$/),
    });
    expect(message).toMatchObject({ subject: "Hello", text: "How are you?\n" });
    expect(message.headers.map(({ key }) => key)).toContain("dkim-signature");
    for (const secret of [ADA, GRACE]) expect(raw + JSON.stringify(message)).not.toContain(secret);
  }
  await expect.poll(() => mail.counts(ALIAS)).toEqual({ ...NOTHING, sent: 2 });
});

test("a message that reaches no recipient counts as bounced, and an unverified sender is told nothing", async () => {
  const before = relay.taken.length;
  await send(ABANDONED);
  await expect.poll(() => mail.counts(ABANDONED)).toEqual({ ...NOTHING, bounced: 2 });
  expect(relay.taken.slice(before)).toEqual([]);
});

test("a connection on which the relay does not respond delays one copy, and no other", async () => {
  await send(DELAYED);
  await expect.poll(() => proceed).toBeDefined();
  await expect.poll(() => mail.counts(DELAYED)).toEqual({ ...NOTHING, sent: 1 });
  // The other recipient of the same message, and both of the next one.
  await send(DELAYED);
  await expect.poll(() => mail.counts(DELAYED)).toEqual({ ...NOTHING, sent: 3 });
  expect(takenFor(SLOW)).toHaveLength(1);
  proceed?.();
  await expect.poll(() => mail.counts(DELAYED)).toEqual({ ...NOTHING, sent: 4 });
});
