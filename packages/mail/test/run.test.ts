import { err, LoggedMessage, parseCopyId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { MailPlane } from "@postern/mail";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { ACCEPTED, REFUSED } from "./support/fake-relay.ts";
import { counted, useMailPlane } from "./support/use-mail-plane.ts";

const SHOP = "shop@alias.example";

const world = useMailPlane();

let aliasId: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  aliasId = await world.alias(SHOP, [await world.recipient("me@home.example")]);
});
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** Runs the mail plane until the end of the test. */
const running = (plane: MailPlane): MailPlane => {
  plane.run();
  onTestFinished(plane.stop);
  return plane;
};

const messages = async () => valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId })).items;
const tallies = async () => counted(await world.tallies(aliasId));

describe("a mail plane that runs", () => {
  test("forwards a message when it is received, and counts and logs it soon after", async () => {
    const plane = running(world.plane());
    await pass(2_000);
    await world.received(await world.mail([SHOP]), plane);
    await pass(0);
    expect(world.relay().sent).toHaveLength(1);
    await pass(1_000);
    expect(await tallies()).toEqual({ sent: 1 });
    expect(await messages()).toMatchObject([{ copies: [{ state: "sent" }] }]);
  });

  test("counts and logs what a report says soon after", async () => {
    const plane = running(world.plane());
    const id = await world.received(await world.mail([SHOP]), plane);
    await pass(2_000);
    const [copy] = valueOf(await plane.spool.findAll(id));
    if (copy === undefined) throw new Error("the message has a copy");
    valueOf(await plane.spool.report(copy.id, "delivered", world.ports().clock.now(), null, null));
    await pass(1_000);
    expect(await tallies()).toEqual({ sent: 1, delivered: 1 });
    expect(await messages()).toMatchObject([{ copies: [{ state: "delivered" }] }]);
  });

  test("sends the notice that a report causes at once", async () => {
    const plane = running(world.plane());
    const id = await world.received(await world.mail([SHOP]), plane);
    await pass(2_000);
    const [copy] = valueOf(await plane.spool.findAll(id));
    if (copy === undefined) throw new Error("the message has a copy");
    const content = "Action: failed\r\n";
    const report = { returnPath: "", header: "", parts: [{ type: "message/delivery-status", content }] };
    expect(valueOf(await plane.recordReport(report)(copy.id))).toBe("bounced");
    await pass(0);
    expect(world.relay().sent.map(({ envelope }) => envelope.to)).toEqual([
      "me@home.example",
      "bob@sender.example",
    ]);
  });

  test("sends a message again within ten seconds after that was requested", async () => {
    const plane = running(world.plane());
    world.relay().answer = () => REFUSED;
    await world.received(await world.mail([SHOP]), plane);
    await pass(2_000);
    const [failed] = await messages();
    if (failed === undefined) throw new Error("the message is logged");
    expect(failed.copies).toMatchObject([{ state: "bounced" }]);
    world.relay().answer = () => ACCEPTED;
    const position = LoggedMessage.position(failed);
    valueOf(await world.service().resendMessage({ account: ACCOUNT, aliasId, position }));
    await pass(10_000);
    expect(await messages()).toMatchObject([{ copies: [{ state: "sent" }] }]);
  });

  test("sweeps the spool every ten minutes, and at once if there is more to do", async () => {
    const { sweep } = world.spool();
    const more = [true, false, false];
    const sweeping = vi.fn(async (now: number) => (await sweep(now)).map(() => more.shift() ?? false));
    running(world.withSpool({ sweep: sweeping }));
    await pass(0);
    expect(sweeping).toHaveBeenCalledTimes(2);
    await pass(10 * 60_000);
    expect(sweeping).toHaveBeenCalledTimes(3);
  });

  test("tries again 1, 2, 5 and then every 10 seconds after the spool, or the store, has failed", async () => {
    const uncounted = vi.fn(unavailable);
    const list = vi.fn(unavailable);
    const { resends, ...store } = world.store();
    running(world.withSpool({ uncounted }, { store: { ...store, resends: { ...resends, list } } }));
    for (const [n, seconds] of [1, 2, 5, 10].entries()) {
      // Up to 10 % earlier or later.
      await pass(700 * seconds);
      expect([uncounted.mock.calls.length, list.mock.calls.length]).toEqual([n + 1, n + 1]);
      await pass(420 * seconds);
      expect([uncounted.mock.calls.length, list.mock.calls.length]).toEqual([n + 2, n + 2]);
    }
  });

  test("wakes nobody for a message that was not kept, or a report that was not recorded", async () => {
    const uncounted = vi.fn(world.spool().uncounted);
    const plane = running(world.withSpool({ uncounted, keep: unavailable, report: unavailable }));
    await pass(2_000);
    expect(await plane.receiveMessage(await world.mail([SHOP]))).toEqual(err({ code: "unavailable" }));
    await plane.spool.report(valueOf(parseCopyId("c".repeat(26))), "bounced", 0, null, null);
    await pass(2_000);
    expect(uncounted).toHaveBeenCalledOnce();
  });

  test("reports a defect, and goes on", async () => {
    const onDefect = vi.fn();
    const defect = new Error("a defect");
    const sweep = vi.fn(() => Promise.reject(defect));
    running(world.withSpool({ sweep }, { onDefect }));
    await pass(10_000);
    expect(onDefect.mock.calls).toEqual([[defect], [defect]]);
  });

  test("without onDefect, a defect changes nothing else", async () => {
    const plane = running(world.withSpool({ sweep: () => Promise.reject(new Error("a defect")) }));
    await world.received(await world.mail([SHOP]), plane);
    await pass(2_000);
    expect(await tallies()).toEqual({ sent: 1 });
  });
});

describe("stopping", () => {
  test("counts and logs what has been sent, and then does nothing more", async () => {
    const plane = world.plane();
    plane.run();
    plane.run();
    await pass(2_000);
    await world.received(await world.mail([SHOP]), plane);
    await plane.stop();
    expect(world.relay().sent).toHaveLength(1);
    expect(await tallies()).toEqual({ sent: 1 });
    expect(await messages()).toMatchObject([{ copies: [{ state: "sent" }] }]);
    await world.received(await world.mail([SHOP]), plane);
    await pass(20_000);
    expect(world.relay().sent).toHaveLength(1);
  });

  test("is nothing if it has not begun", async () => {
    await world.plane().stop();
    expect(world.relay().sent).toEqual([]);
  });
});
