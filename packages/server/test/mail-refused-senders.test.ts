import { valueOf } from "@postern/core/testing";
import type { SMTPServerOptions } from "smtp-server";
import { expect, test } from "vitest";
import { newForwarding } from "./support/forwarding.ts";
import { refusal } from "./support/relay.ts";

/* A relay that refuses one sender or one recipient of many, on real connections: all other mail leaves at once. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Refuses the addresses that match. */
const refusing =
  (code: number, matches: (address: string) => boolean): NonNullable<SMTPServerOptions["onMailFrom"]> =>
  ({ address }, _session, done) =>
    matches(address) ? done(refusal(code, address)) : done();

const queued = async ({ spool }: Awaited<ReturnType<typeof newForwarding>>) =>
  valueOf(await spool.list({ limit: 100, after: null })).items;

test("an alias domain that the relay does not know does not hold up the others, and its mail expires", async () => {
  let knows = false;
  const world = await newForwarding({
    onMailFrom: refusing(550, (address) => !knows && address.endsWith("@second.example")),
  });
  await world.alias("shop@second.example", "ada@home.example", "account-1");
  await world.alias("shop@alias.example", "grace@work.example", "account-2");
  for (let n = 0; n < 30; n += 1) await world.receive("shop@second.example");
  for (let round = 1; round <= 6; round += 1) {
    for (let n = 0; n < 20; n += 1) await world.receive("shop@alias.example");
    await world.forward();
    expect(world.relay.taken).toHaveLength(20 * round);
    world.clock.advance(5 * MINUTE);
  }
  expect(await queued(world)).toHaveLength(30);

  // All of it leaves soon after the domain is registered.
  knows = true;
  for (let minutes = 0; minutes < 10; minutes += 5) {
    await world.forward();
    world.clock.advance(5 * MINUTE);
  }
  expect(world.relay.taken).toHaveLength(150);

  knows = false;
  await world.receive("shop@second.example");
  await world.forward();
  world.clock.advance(5 * DAY - 1);
  await world.forward();
  expect(await queued(world)).toHaveLength(1);
  world.clock.advance(4 * HOUR + 30 * MINUTE);
  await world.forward();
  expect(await queued(world)).toEqual([]);
  expect(world.relay.taken.at(-1)).toMatchObject({ from: "", to: "bob@sender.example" });
});

test("a relay that refuses the null sender is offered each notice once, and gets all other mail", async () => {
  let notices = 0;
  const world = await newForwarding({
    onMailFrom: refusing(501, (address) => {
      if (address === "") notices += 1;
      return address === "";
    }),
    onRcptTo: refusing(550, (address) => address === "gone@home.example"),
  });
  await world.alias("dead@alias.example", "gone@home.example", "account-1");
  await world.alias("shop@alias.example", "ada@home.example", "account-2");
  for (let round = 1; round <= 12; round += 1) {
    for (let n = 0; n < 5; n += 1) {
      await world.receive("dead@alias.example");
      await world.receive("shop@alias.example");
    }
    await world.forward();
    expect(world.relay.taken).toHaveLength(5 * round);
    world.clock.advance(5 * MINUTE);
  }
  await world.forward();
  expect(await queued(world)).toEqual([]);
  expect(notices).toBe(60);
});

test("a recipient whose server wants the relay to authenticate affects nobody else", async () => {
  const world = await newForwarding({
    onRcptTo: refusing(530, (address) => address === "odd@home.example"),
  });
  await world.alias("odd@alias.example", "odd@home.example", "account-1");
  await world.alias("shop@alias.example", "ada@home.example", "account-2");
  await world.receive("odd@alias.example");
  for (let n = 0; n < 50; n += 1) await world.receive("shop@alias.example");
  await world.forward();
  expect(world.relay.taken.filter(({ to }) => to === "ada@home.example")).toHaveLength(50);
  expect(await queued(world)).toEqual([]);
});
