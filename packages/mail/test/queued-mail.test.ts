import type { AliasId, RecipientId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { COPY_LIFETIME, type MailRelay, RELAY_PAUSE } from "@postern/mail";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { ACCEPTED, BUSY, REFUSED } from "./support/fake-relay.ts";
import { counted, useMailPlane } from "./support/use-mail-plane.ts";

/* What happens to waiting mail when its alias changes. */

const world = useMailPlane();
const SHOP = "shop@alias.example";
const [ME, YOU, NEW] = ["me@home.example", "you@home.example", "new@home.example"];
const HOUR = 3_600_000;

let ids: Map<string, RecipientId>;
let aliasId: AliasId;
beforeEach(async () => {
  ids = new Map([
    [ME, await world.recipient(ME)],
    [YOU, await world.recipient(YOU)],
    [NEW, await world.recipient(NEW)],
  ]);
  aliasId = await world.alias(SHOP, idsOf(ME));
  world.relay().answer = () => BUSY;
});

const idsOf = (...emails: readonly string[]) =>
  emails.map((email) => ids.get(email) ?? expect.unreachable(email));
const replace = async (...emails: readonly string[]) =>
  valueOf(
    await world.service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: idsOf(...emails) }),
  );
const remove = async (email: string) =>
  valueOf(await world.service().deleteRecipient({ account: ACCOUNT, recipientId: idsOf(email)[0] ?? "" }));
/** Removes a recipient, and adds the same mailbox again. */
const renew = async (email: string, spelling = email) => {
  await remove(email);
  ids.set(email, await world.recipient(spelling));
};
const forward = (plane = world.plane()) => world.forward(plane);
/** Tries it again some time after a change. */
const later = async (milliseconds = 5 * HOUR) => {
  world.ports().clock.advance(milliseconds);
  await forward();
};
const accept = async () => {
  world.relay().answer = () => ACCEPTED;
  const before = world.relay().sent.length;
  await later();
  return sentSince(before);
};
const sentSince = (before: number) =>
  world
    .relay()
    .sent.slice(before)
    .map(({ envelope }) => envelope.to);
const stateOf = async (id: Awaited<ReturnType<typeof receive>>) =>
  Object.fromEntries(valueOf(await world.spool().findAll(id)).map(({ to, state }) => [to, state]));
/** What is counted for the alias. */
const told = async () => {
  valueOf(await world.plane().countOutcomes());
  return counted(await world.tallies(aliasId));
};
const receive = async (to = SHOP) => {
  const id = await world.received(await world.mail([to]));
  await forward();
  return id;
};

/** A mail plane, and the aliases that it has looked up. */
const counting = (settings: Parameters<typeof world.withAliases>[1] = {}) => {
  const { findByEmail } = world.store().aliases;
  const asked: string[] = [];
  const plane = world.withAliases(
    {
      findByEmail: (email, ...rest) => {
        asked.push(email);
        return findByEmail(email, ...rest);
      },
    },
    settings,
  );
  return { plane, asked };
};

describe("a message that waits for a recipient", () => {
  test("goes to the recipient that has replaced it instead", async () => {
    const id = await receive();
    await replace(NEW);
    await remove(ME);
    expect(await accept()).toEqual([NEW]);
    expect(await stateOf(id)).toEqual({ [ME]: "dropped", [NEW]: "sent" });
    expect(await told()).toEqual({ sent: 1 });
  });

  test("goes to a mailbox that was removed and added again in the meantime", async () => {
    for (const spelling of [ME, "Me@home.example"]) {
      const id = await receive();
      await replace(YOU);
      await renew(ME, spelling);
      await replace(ME);
      expect(await accept()).toEqual([ME]);
      expect(await stateOf(id)).toEqual({ [ME]: "sent" });
      world.relay().answer = () => BUSY;
    }
    expect(await told()).toEqual({ sent: 2 });
  });

  test("does not go to a replaced recipient just because the operator retries the copy at once", async () => {
    const id = await world.received(await world.mail([SHOP]));
    await replace(NEW);
    await later(500);
    const [copy] = valueOf(await world.spool().findAll(id)).filter(({ to }) => to === ME);
    expect(copy).toMatchObject({ state: "dropped", attempts: 0 });
    valueOf(await world.spool().retry(copy?.id ?? expect.unreachable(), world.ports().clock.now()));
    const before = world.relay().sent.length;
    await forward();
    expect(world.relay().sent).toHaveLength(before);
    expect(await accept()).toEqual([NEW]);
    expect(await stateOf(id)).toEqual({ [ME]: "dropped", [NEW]: "sent" });
  });

  test("does not go a second time to recipients that already have it", async () => {
    await replace(ME, YOU);
    world.relay().answer = ({ envelope }) => (envelope.to === ME ? BUSY : ACCEPTED);
    const id = await receive();
    await replace(YOU, NEW);
    expect(await accept()).toEqual([NEW]);
    expect(await stateOf(id)).toEqual({ [ME]: "dropped", [YOU]: "sent", [NEW]: "sent" });
  });

  test("does not go to its author, even if the author has become a recipient", async () => {
    const bob = await world.recipient("bob@sender.example");
    await receive();
    valueOf(
      await world
        .service()
        .replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: [bob, ...idsOf(YOU)] }),
    );
    expect(await accept()).toEqual([YOU]);
  });

  test("is no longer sent once its alias is deleted or erased", async () => {
    for (const method of ["deleteAlias", "eraseAlias"] as const) {
      const id = await receive();
      expect((await world.service()[method]({ account: ACCOUNT, aliasId })).isOk()).toBe(true);
      expect(await accept()).toEqual([]);
      expect(await stateOf(id)).toEqual({ [ME]: "dropped" });
      world.relay().answer = () => BUSY;
      if (method === "deleteAlias")
        valueOf(await world.service().restoreAlias({ account: ACCOUNT, aliasId, recipientIds: idsOf(ME) }));
    }
  });

  test("is sent even if the alias no longer accepts mail", async () => {
    await receive();
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId, active: false }));
    expect(await accept()).toEqual([ME]);
  });

  test("goes to the new recipient even if it was never tried, but waited for half a second", async () => {
    await world.received(await world.mail([SHOP]));
    await replace(NEW);
    world.ports().clock.advance(500);
    expect(await accept()).toEqual([NEW]);
  });

  test("was checked when it arrived, so the store is not asked again for half a second", async () => {
    const { plane, asked } = counting();
    await world.received(await world.mail([SHOP]));
    world.ports().clock.advance(499);
    await forward(plane);
    expect(asked).toEqual([]);
    world.ports().clock.advance(HOUR);
    await forward(plane);
    expect(asked).toEqual([SHOP]);
    expect(world.relay().sent).toHaveLength(2);
  });

  test("shares a lookup of its alias with the other copies that are due, also those of other messages", async () => {
    await replace(ME, YOU);
    await world.alias("other@alias.example", idsOf(NEW));
    await receive();
    await receive();
    await receive("other@alias.example");
    const { plane, asked } = counting();
    await replace(YOU);
    world.ports().clock.advance(HOUR);
    const before = world.relay().sent.length;
    await forward(plane);
    expect(asked.toSorted()).toEqual(["other@alias.example", SHOP]);
    expect(sentSince(before).toSorted()).toEqual([NEW, YOU, YOU]);
    world.ports().clock.advance(HOUR);
    await forward(plane);
    expect(asked).toHaveLength(4);
  });
});

describe("a relay that takes its time", () => {
  /** Waits this long before it reads the body, and then after each part of it. */
  const slowRelay = (waits: readonly number[], during: (wait: number) => Promise<void>) => {
    const reached: { readonly to: string; readonly at: number }[] = [];
    const relay: MailRelay = {
      send: async ({ envelope: { to }, body }) => {
        let part = 0;
        const wait = async () => {
          world.ports().clock.advance(waits[part] ?? 0);
          await during(part);
          part += 1;
        };
        await wait();
        try {
          for await (const _ of body.read()) await wait();
        } catch {
          return BUSY;
        }
        reached.push({ to, at: world.ports().clock.now() });
        return ACCEPTED;
      },
    };
    return { relay, reached };
  };

  test("half a second after a recipient was replaced, no copy for it is completed, and the new one gets the message", async () => {
    const parts = 4;
    const waits = fc.array(fc.integer({ min: 0, max: 600 }), { minLength: parts, maxLength: parts });
    await fc.assert(
      fc.asyncProperty(waits, fc.nat(parts - 1), async (waits, replacedIn) => {
        await replace(ME);
        let replacedAt = Number.POSITIVE_INFINITY;
        const { relay, reached } = slowRelay(waits, async (part) => {
          if (part !== replacedIn || replacedAt < Number.POSITIVE_INFINITY) return;
          await replace(NEW);
          replacedAt = world.ports().clock.now();
        });
        const plane = world.plane({ relay });
        const body = await world.body("x".repeat(64 * 1024 * (parts - 2) + 1));
        const id = await world.received(await world.mail([SHOP], { body }));
        await forward(plane);
        const [{ to, at }, ...others] = reached as [(typeof reached)[number]];
        expect(others).toEqual([]);
        const isLate = at >= replacedAt + 500;
        if (isLate) expect(to).toBe(NEW);
        expect(await stateOf(id)).toEqual(to === ME ? { [ME]: "sent" } : { [ME]: "dropped", [NEW]: "sent" });
      }),
      {
        examples: [
          [[20_000, 0, 0, 0], 0],
          [[0, 0, 0, 20_000], 3],
        ],
      },
    );
  });

  test("is a reason to look up the alias once in half a second, not at each step", async () => {
    const { relay, reached } = slowRelay([499, 0, 1, 0, 400], async () => {});
    const { plane, asked } = counting({ relay });
    const body = await world.body("x".repeat(64 * 1024 * 4));
    await world.received(await world.mail([SHOP], { body }));
    await forward(plane);
    expect(reached).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  test("gets nothing more for an account that is suspended meanwhile, and that mail waits", async () => {
    const { relay, reached } = slowRelay([500], async () =>
      valueOf(await world.service().suspendAccount({ account: ACCOUNT })),
    );
    const id = await world.received(await world.mail([SHOP]));
    await forward(world.plane({ relay }));
    expect(reached).toEqual([]);
    expect(await stateOf(id)).toEqual({ [ME]: "queued" });
  });
});

test("mail that waits for a contact is sent even if its author was replaced, but not from a deleted alias", async () => {
  const reverseAddress = await world.contact("bob@sender.example", aliasId);
  const write = async () => {
    const mail = {
      returnPath: ME,
      header: `From: Me <${ME}>\r\nTo: ${reverseAddress}\r\nSubject: Hello\r\n`,
    };
    await world.received(await world.mail([reverseAddress], mail));
    await forward();
  };
  await write();
  await replace(YOU);
  expect(await accept()).toEqual(["bob@sender.example"]);
  world.relay().answer = () => BUSY;
  await replace(ME);
  await write();
  valueOf(await world.service().deleteAlias({ account: ACCOUNT, aliasId }));
  expect(await accept()).toEqual([]);
});

test("the notice that a message did not reach a contact goes to its author, unless the alias no longer has that recipient", async () => {
  const reverseAddress = await world.contact("bob@sender.example", aliasId);
  const notified = async (whileItWaits: () => Promise<unknown>) => {
    const header = `From: Me <ME+tag@home.example>\r\nTo: ${reverseAddress}\r\nSubject: Hello\r\n`;
    await world.received(await world.mail([reverseAddress], { returnPath: ME, header }));
    await forward();
    await whileItWaits();
    const before = world.relay().sent.length;
    world.relay().answer = ({ envelope }) => (envelope.from === null ? ACCEPTED : REFUSED);
    await later();
    world.relay().answer = () => BUSY;
    const sent = world.relay().sent.slice(before);
    return sent.filter(({ envelope }) => envelope.from === null).map(({ envelope }) => envelope.to);
  };
  expect(await notified(async () => {})).toEqual([ME]);
  expect(await notified(() => replace(YOU))).toEqual([]);
});

describe("mail of a suspended account", () => {
  let id: Awaited<ReturnType<typeof receive>>;
  beforeEach(async () => {
    id = await receive();
    valueOf(await world.service().suspendAccount({ account: ACCOUNT }));
  });

  test("waits until the account is no longer suspended", async () => {
    expect(await accept()).toEqual([]);
    await later();
    valueOf(await world.service().resumeAccount({ account: ACCOUNT }));
    await later(RELAY_PAUSE);
    expect(world.relay().sent.map(({ envelope }) => envelope.to)).toEqual([ME, ME]);
  });

  test("is given up after five days, without telling anybody", async () => {
    world.relay().answer = () => ACCEPTED;
    await later(COPY_LIFETIME);
    expect(await stateOf(id)).toEqual({ [ME]: "dropped" });
    expect(valueOf(await world.spool().size())).toMatchObject({ queued: 0, uncounted: 0 });
    expect(world.relay().sent).toHaveLength(1);
  });
});

test("no waiting mail is sent while the store cannot say what the alias is", async () => {
  await receive();
  const { suspensions, aliases } = world.store();
  for (const store of [
    { ...world.store(), suspensions: { ...suspensions, find: unavailable } },
    { ...world.store(), aliases: { ...aliases, findByEmail: unavailable } },
  ]) {
    world.ports().clock.advance(HOUR);
    await forward(world.plane({ store }));
  }
  await replace(NEW);
  world.ports().clock.advance(HOUR);
  await forward(world.withSpool({ resend: unavailable }));
  expect(world.relay().sent).toHaveLength(1);
  expect(await accept()).toEqual([NEW]);
});

type Step = "try" | "renew" | readonly string[];

test("however recipients are replaced, a waiting message goes to none that was replaced, and once to each of the others", async () => {
  const mailboxes = fc.subarray([ME, YOU, NEW], { minLength: 1 });
  valueOf(await world.service().eraseAlias({ account: ACCOUNT, aliasId }));
  const steps = fc.array(fc.oneof(fc.constantFrom<Step>("try", "renew"), mailboxes), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(mailboxes, steps, mailboxes, async (first, taken, last) => {
      let recipients: readonly string[] = first;
      /** The recipients it waits for: those at its arrival, and all of a later list if one of these was replaced. */
      let waiting = recipients;
      let isAccepted = false;
      const reached: string[] = [];
      world.relay().answer = ({ envelope: { to } }) => {
        expect(recipients).toContain(to);
        if (isAccepted) reached.push(to);
        return isAccepted ? ACCEPTED : BUSY;
      };
      const pass = async () => {
        if (waiting.some((mailbox) => !recipients.includes(mailbox))) waiting = recipients;
        await later();
      };
      aliasId = await world.alias(`${world.ports().ids.alias()}@alias.example`, idsOf(...first));
      const { email } = valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId }));
      await receive(email);
      for (const step of [...taken, last] as const) {
        if (step === "try") await pass();
        else if (step === "renew") {
          for (const mailbox of [ME, YOU, NEW]) if (!recipients.includes(mailbox)) await renew(mailbox);
        } else {
          await replace(...step);
          recipients = step;
        }
      }
      isAccepted = true;
      await pass();
      expect(reached.toSorted()).toEqual(waiting.toSorted());
      expect(await told()).toEqual({ sent: waiting.length });
      // Recipients of other aliases cannot be removed.
      valueOf(await world.service().eraseAlias({ account: ACCOUNT, aliasId }));
    }),
    { numRuns: 60 },
  );
});

test("two copies that wait for replaced recipients lead to one copy for the new one", async () => {
  await replace(ME, YOU);
  await receive();
  await replace(NEW);
  world.relay().answer = () => REFUSED;
  await later();
  expect(sentSince(2)).toEqual([NEW, "bob@sender.example"]);
});

describe("the sender of an undelivered message gets a notice", () => {
  const refuseAll = () => {
    world.relay().answer = ({ envelope }) => (envelope.from === null ? ACCEPTED : REFUSED);
  };

  test("if one recipient was replaced, and the other one fails", async () => {
    await replace(ME, YOU);
    await receive();
    await replace(YOU);
    refuseAll();
    await later();
    expect(sentSince(2)).toEqual([YOU, "bob@sender.example"]);
  });

  test("if one failed, and then the other one was replaced", async () => {
    await replace(ME, YOU);
    world.relay().answer = ({ envelope }) => (envelope.to === ME ? REFUSED : BUSY);
    await receive();
    await replace(ME);
    refuseAll();
    // The notice is due once the last copy is given up.
    await later();
    await later();
    expect(sentSince(2)).toEqual(["bob@sender.example"]);
    expect(await told()).toEqual({ bounced: 1 });
  });

  test("but not if all were given up because the alias was deleted", async () => {
    await receive();
    valueOf(await world.service().deleteAlias({ account: ACCOUNT, aliasId }));
    refuseAll();
    await later();
    await later();
    expect(sentSince(1)).toEqual([]);
  });
});
