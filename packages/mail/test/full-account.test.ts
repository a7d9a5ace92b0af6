import { err } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import type { Spool } from "@postern/mail";
import { describe, expect, test, vi } from "vitest";
import { ACCOUNT } from "./support/account.ts";
import { UNUSABLE } from "./support/fake-relay.ts";
import { useMailPlane } from "./support/use-mail-plane.ts";

const LIMIT = 1_000_000;
const [SHOP, OTHER] = ["shop@alias.example", "other@alias.example"];

const world = useMailPlane({ limit: LIMIT });

const aliases = async () => {
  const id = await world.alias(SHOP, [await world.recipient("me@home.example")]);
  await world.alias(OTHER, [await world.recipient("you@home.example", "account-2")], "account-2");
  return { id };
};

/** Keeps messages of about this size for an address, as long as they are accepted. Returns how many, and why no other one is. */
const fill = async (to: string, size = 20_000, plane = world.plane()) => {
  for (let count = 0; ; count += 1) {
    const admitted = await plane.admitRecipient(to);
    if (admitted.isErr()) return { count, code: admitted.error.code };
    const mail = await world.mail([to], { body: await world.body("x".repeat(size)) });
    const received = await plane.receiveMessage(mail);
    if (received.isErr()) return { count, code: received.error.code };
  }
};

describe("a full account", () => {
  test("accepts no more mail, from anybody, while all others do", async () => {
    const { id } = await aliases();
    const { count, code } = await fill(SHOP);
    expect(code).toBe("account_full");
    expect(count * 20_000).toBeLessThan(LIMIT / 2);
    expect((count + 2) * 20_000).toBeGreaterThan(LIMIT / 2 - 2 * 20_000);
    const contact = await world.contact("bob@sender.example", id);
    expect(failureOf(await world.plane().admitRecipient(contact))).toEqual({ code: "account_full" });
    expect(failureOf(await world.plane().admitRecipient(`${SHOP.replace("@", "+tag@")}`))).toEqual({
      code: "account_full",
    });
    const others = await fill(OTHER);
    expect(others.code).toBe("account_full");
    expect(others.count * 20_000).toBeGreaterThan(LIMIT / 5);
    // There is room left for whoever else comes.
    expect((await fill("postmaster")).count).toBeGreaterThan(3);
    expect(failureOf(await world.plane().admitRecipient("abuse@alias.example"))).toEqual({
      code: "account_full",
    });
  });

  test("accepts nothing that began to arrive before it was full", async () => {
    await aliases();
    const early = await world.mail([SHOP, OTHER]);
    await fill(SHOP);
    const plane = world.plane();
    expect(failureOf(await plane.receiveMessage(early))).toEqual({ code: "spool_full" });
    const [, other] = early.recipients;
    if (other === undefined) return expect.unreachable("there are two recipients");
    valueOf(await plane.receiveMessage({ ...early, recipients: [other] }));
  });

  test("cannot be told from others if the spool does not respond", async () => {
    await aliases();
    const plane = world.withSpool({ hasRoom: async () => err({ code: "unavailable" }) });
    expect(failureOf(await plane.admitRecipient(SHOP)).code).toBe("unavailable");
    const mail = await world.mail([SHOP]);
    expect(failureOf(await plane.receiveMessage(mail)).code).toBe("unavailable");
  });
});

describe("mail of a suspended account", () => {
  const running = (changed: Partial<Spool> = {}) => {
    world.relay().answer = () => UNUSABLE;
    return world.withSpool(changed);
  };
  const queued = async () => valueOf(await world.spool().size()).queued;

  test("is dropped when others need the room, and not before", async () => {
    await aliases();
    await fill(SHOP);
    valueOf(await world.service().suspendAccount({ account: ACCOUNT }));
    const before = await queued();
    const plane = running();
    plane.run();
    await plane.stop();
    expect(await queued()).toBe(before);
    const { count } = await fill(OTHER);
    const after = running();
    after.run();
    await expect.poll(queued).toBe(count);
    await after.stop();
    // Also of a server that is running, once there is no room.
    expect((await fill(OTHER)).count).toBeGreaterThan(0);
  });

  test("of other accounts stays, and a store that does not respond changes nothing", async () => {
    await aliases();
    await fill(SHOP);
    await fill(OTHER);
    const before = await queued();
    const dropAll = vi.fn(world.spool().dropAll);
    const plane = running({ dropAll });
    plane.run();
    await plane.stop();
    const silent = world.plane({
      store: {
        ...world.store(),
        suspensions: { ...world.store().suspensions, find: async () => err({ code: "unavailable" }) },
      },
    });
    silent.run();
    await silent.stop();
    expect(dropAll).not.toHaveBeenCalled();
    expect(await queued()).toBe(before);
  });
});
