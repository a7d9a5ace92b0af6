import { err } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { BodyGone, type MailPlanePorts, type MailRelay, type MailSigner, type Spool } from "@postern/mail";
import { describe, expect, test } from "vitest";
import { ACCEPTED, BUSY, fakeSigner } from "./support/fake-relay.ts";
import { ALIAS, useForwarding } from "./support/use-forwarding.ts";

const { world, plane, use, receive, messageTo, forwardAll, tallies, recipientsOfAttempts } = useForwarding();

/** A signer that reads the body, as those do that sign. */
const readingSigner: MailSigner = {
  sign: async (mail) => {
    try {
      for await (const _ of mail.body.read());
      return fakeSigner.sign(mail);
    } catch {
      return err({ code: "unavailable" });
    }
  },
};

/** A relay that reads the body, as all do. */
const readingRelay: MailRelay = {
  send: async (mail) => {
    try {
      for await (const _ of mail.body.read());
      return world.relay().send(mail);
    } catch {
      return BUSY;
    }
  },
};

/** A mail plane whose spool hands out forwarded bodies that cannot be read, because of this error. */
const unreadable = (thrown: () => Error, settings: Partial<MailPlanePorts> = { signer: readingSigner }) =>
  world.withSpool(
    {
      take: async (...input) =>
        (await world.spool().take(...input)).map(({ copies, more }) => ({
          copies: copies.map((due) => {
            const read = () => {
              throw thrown();
            };
            return due.copy.purpose.kind === "forward" ? { ...due, body: { ...due.body, read } } : due;
          }),
          more,
        })),
    },
    settings,
  );

describe("a message whose body is gone", () => {
  test.each<[string, Partial<MailPlanePorts>]>([
    ["the signer", { signer: readingSigner }],
    ["only the relay", { relay: readingRelay }],
  ])(
    "and which %s reads fails at once, however many there are, and its sender is told",
    async (_, reading) => {
      const alias = await messageTo(["a@home.example", "b@home.example", "c@home.example"]);
      for (let n = 0; n < 8; n += 1) await receive(ALIAS);
      use(unreadable(() => new BodyGone(), reading));
      expect((await forwardAll()).nextAt).toBe(null);
      expect(await tallies(alias)).toEqual({ bounced: 27 });
      expect(recipientsOfAttempts()).toEqual(Array.from({ length: 9 }, () => "bob@sender.example"));
    },
  );

  test("waits if it may only be unreadable for now", async () => {
    const alias = await messageTo(["a@home.example"]);
    use(unreadable(() => new Error("EIO")));
    await forwardAll();
    expect(await tallies(alias)).toEqual({});
    world.ports().clock.advance(5 * 60_000);
    use(world.plane({ signer: readingSigner }));
    await forwardAll();
    expect(recipientsOfAttempts()).toEqual(["a@home.example"]);
  });
});

describe("a spool that mail cannot leave", () => {
  test.each<[string, "settle" | "take"]>([
    ["the outcome of a copy cannot be stored", "settle"],
    ["no copy can be handed out", "take"],
  ])("accepts no more mail while %s", async (_, broken) => {
    await messageTo(["a@home.example"]);
    let isBroken = true;
    const failing = { code: "unavailable" } as const;
    const spool = world.spool();
    const changed: Partial<Spool> = {
      settle: async (...input) => (isBroken && broken === "settle" ? err(failing) : spool.settle(...input)),
      take: async (...input) => (isBroken && broken === "take" ? err(failing) : spool.take(...input)),
    };
    use(world.withSpool(changed));
    const arrive = async () => plane().receiveMessage(await world.mail([ALIAS]));
    expect((await arrive()).isOk()).toBe(true);
    const forward = async () => {
      await plane().forwardCopies();
      await plane().finishForwarding();
    };
    await forward();
    for (let n = 0; n < 3; n += 1) {
      await forward();
      expect(failureOf(await arrive()).code).toBe("unavailable");
    }
    isBroken = false;
    await forward();
    expect((await arrive()).isOk()).toBe(true);
    await forwardAll();
    expect(recipientsOfAttempts()).toHaveLength(3);
    expect(valueOf(await spool.size()).queued).toBe(0);
  });

  test("has no space for a notice, and is not broken", async () => {
    await messageTo(["a@home.example"]);
    world.relay().answer = () => ({ kind: "refused", about: "copy", code: 550, status: null });
    const spool = world.spool();
    use(
      world.withSpool({
        settle: async (copy, settlement, notice) =>
          notice === null ? spool.settle(copy, settlement, null) : err({ code: "spool_full" }),
      }),
    );
    await forwardAll();
    world.relay().answer = () => ACCEPTED;
    expect((await plane().receiveMessage(await world.mail([ALIAS]))).isOk()).toBe(true);
  });
});
