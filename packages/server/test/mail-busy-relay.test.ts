import type { SMTPServerOptions, SMTPServerSession } from "smtp-server";
import { expect, test } from "vitest";
import { newForwarding } from "./support/forwarding.ts";

/* A relay that allows fewer connections than are opened: all mail is still sent. */

const MINUTE = 60_000;

/** Turns away new clients while this many are connected. */
const limitedTo = (places: number, responseCode = 421) => {
  const connected = new Set<SMTPServerSession>();
  const counted = { turnedAway: 0 };
  const options: SMTPServerOptions = {
    onConnect: (session, done) => {
      if (connected.size < places) {
        connected.add(session);
        return done();
      }
      counted.turnedAway += 1;
      done(Object.assign(new Error("4.7.0 too many connections from your host"), { responseCode }));
    },
    onClose: (session) => void connected.delete(session),
  };
  return { options, counted };
};

const receiveMany = async (world: Awaited<ReturnType<typeof newForwarding>>, messages: number) => {
  for (let n = 0; n < messages; n += 1) await world.receive(`shop-${n % 6}@alias.example`);
};

const newWorld = async (options: SMTPServerOptions, query = "") => {
  const world = await newForwarding(options, query);
  for (let n = 0; n < 6; n += 1) {
    await world.alias(`shop-${n}@alias.example`, `ada-${n}@home.example`, `account-${n}`);
  }
  return world;
};

test("forwarding uses the connections that the relay allows, and tries more again later", async () => {
  const { options, counted } = limitedTo(5);
  const world = await newWorld(options);
  await receiveMany(world, 100);
  await world.forward();
  expect(world.relay.taken).toHaveLength(100);
  const { turnedAway } = counted;
  expect(turnedAway).toBeGreaterThan(0);
  // Not once per message.
  expect(turnedAway).toBeLessThanOrEqual(40);

  await receiveMany(world, 100);
  await world.forward();
  expect(world.relay.taken).toHaveLength(200);
  expect(counted.turnedAway).toBe(turnedAway);
  world.clock.advance(5 * MINUTE);
  await receiveMany(world, 100);
  await world.forward();
  expect(world.relay.taken).toHaveLength(300);
  expect(counted.turnedAway).toBeGreaterThan(turnedAway);
});

test("forwarding uses the connections that the relay allows, even if it refuses the others permanently", async () => {
  const { options, counted } = limitedTo(5, 554);
  const world = await newWorld(options);
  await receiveMany(world, 100);
  await world.forward();
  expect(world.relay.taken).toHaveLength(100);
  expect(counted.turnedAway).toBeGreaterThan(0);
});

test("with only as many connections as the relay allows, all mail leaves at once", async () => {
  const { options, counted } = limitedTo(5);
  const world = await newWorld(options, "?maxConnections=5");
  await receiveMany(world, 100);
  await world.forward();
  expect(world.relay.taken).toHaveLength(100);
  expect(counted.turnedAway).toBe(0);
});
