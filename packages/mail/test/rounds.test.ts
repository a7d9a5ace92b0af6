import { type EmailAddress, err } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import type { MailPlane } from "@postern/mail";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { HeaderFields } from "../src/header/header-fields.ts";
import { messageRounds } from "../src/receiving/rounds.ts";
import { exchangedMessageId } from "../src/rewriting/concealed-ids.ts";
import { ALIAS, address } from "./support/mail.ts";
import { useMailPlane } from "./support/use-mail-plane.ts";

const DAY = 24 * 60 * 60_000;
const OTHER = address("other@alias.example");
const world = useMailPlane();

const arrive = async (id: string | undefined, to = [ALIAS.email], plane = world.plane()) => {
  const line = id === undefined ? "" : `Message-ID: ${id}\r\n`;
  return plane.receiveMessage(await world.mail(to, { header: `From: bob@sender.example\r\n${line}` }));
};

const accept = async (count: number, id: string, plane: MailPlane, to?: EmailAddress[]) => {
  for (let n = 0; n < count; n += 1) valueOf(await arrive(id, to, plane));
};

const aliases = async (): Promise<void> => {
  const home = await world.recipient("me@home.example");
  await world.alias(ALIAS.email, [home]);
  await world.alias(OTHER, [home]);
};

/** The id with which the last message was forwarded. */
const forwardedId = (): string | undefined =>
  HeaderFields.values(HeaderFields.split(world.relay().sent.at(-1)?.header ?? ""), "message-id")[0];

test("a message that comes back with the id that it was forwarded with, and nothing else of its header, is refused after ten rounds", async () => {
  await aliases();
  const anyId = fc.oneof(
    fc.stringMatching(/^<[!-;=?-~]{1,500}>$/),
    fc.stringMatching(/^\(a\) <[a-z]{1,9}@sender\.example>$/),
    // These are replaced when they are forwarded.
    fc.constantFrom(undefined, "", "none", `<${"a".repeat(501)}>`),
  );
  await fc.assert(
    fc.asyncProperty(anyId, async (first) => {
      const plane = world.plane();
      const isReplaced = !/<.{1,500}>/.test(first ?? "");
      let id = first;
      for (let round = 0; round < (isReplaced ? 11 : 10); round += 1) {
        valueOf(await arrive(id, undefined, plane));
        await world.forward(plane);
        id = forwardedId();
      }
      expect(failureOf(await arrive(id, undefined, plane))).toEqual({ code: "mail_loop" });
    }),
    { numRuns: 30 },
  );
});

/** Has the message make so many rounds. Returns its next id. */
const loop = async (rounds: number, first: string, plane: MailPlane, to?: EmailAddress[]) => {
  let id: string | undefined = first;
  for (let round = 0; round < rounds; round += 1) {
    valueOf(await arrive(id, to, plane));
    await world.forward(plane);
    id = forwardedId();
  }
  return id;
};

test("each message may make ten rounds a day at each alias, and its sender may send it as often as he likes", async () => {
  await aliases();
  const plane = world.plane();
  const id = "<1@sender.example>";
  await accept(20, id, plane);
  await loop(10, id, plane);
  await loop(10, id, plane, [OTHER]);
  await loop(10, "<2@sender.example>", plane);
  await accept(1, id, plane, [address("postmaster@alias.example")]);
  const refused = [[address("Shop+tag@alias.example")], [address("abuse@alias.example"), ALIAS.email]];
  for (const to of refused) expect(failureOf(await arrive(id, to, plane))).toEqual({ code: "mail_loop" });
  world.ports().clock.advance(DAY - 1);
  expect(failureOf(await arrive(id, undefined, plane))).toEqual({ code: "mail_loop" });
  world.ports().clock.advance(1);
  await loop(10, id, plane);
  expect(failureOf(await arrive(id, undefined, plane))).toEqual({ code: "mail_loop" });
});

test("a message that could not be stored does not count", async () => {
  await aliases();
  let isFull = false;
  const plane = world.withSpool({
    keep: async (mailing) => (isFull ? err({ code: "spool_full" }) : world.spool().keep(mailing)),
  });
  const id = (await loop(1, "<1@sender.example>", plane)) ?? "";
  isFull = true;
  for (let n = 0; n < 20; n += 1)
    expect(failureOf(await arrive(id, undefined, plane)).code).toBe("spool_full");
  isFull = false;
  await accept(5, id, plane);
  expect(failureOf(await arrive(id, undefined, plane))).toEqual({ code: "mail_loop" });
});

test("remembers the 10,000 messages that came back last", () => {
  const ports = testPorts();
  const roundOf = messageRounds(ports);
  const given = (id: number) =>
    exchangedMessageId(`<${id}@a>`, ALIAS.email, ports.secrets) ?? expect.fail("the id is short");
  const count = (id: number) => roundOf(given(id), ALIAS).count();
  for (let round = 0; round < 5; round += 1) {
    count(0);
    for (let n = 0; n < 1_000; n += 1) count(1 + round * 1_000 + n);
  }
  // It came before the last thousand.
  for (let n = 0; n < 8_999; n += 1) count(20_000 + n);
  expect(roundOf("<0@a>", ALIAS).isLoop).toBe(true);
  count(30_000);
  expect(roundOf("<0@a>", ALIAS).isLoop).toBe(false);
});
