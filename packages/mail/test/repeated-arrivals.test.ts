import { err, type Unavailable } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import type { Spool } from "@postern/mail";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { ACCOUNT } from "./support/account.ts";
import { REJECTED } from "./support/mail.ts";
import { ALIAS, FROM_ME, headerOf, useConversation, valueIn } from "./support/use-conversation.ts";
import { contentOf, counted } from "./support/use-mail-plane.ts";

/* Messages that a queue delivers more than once. */

const { world, home, aliasId, send, reverseOfBob } = useConversation();

const unavailable: Unavailable = { code: "unavailable" };

/** What waits, as `kind mailbox: body`. */
const queued = async () => {
  const all = await world.queued();
  const texts = all.map(
    async ({ copy, body }) => `${copy.purpose.kind} ${copy.to}: ${await contentOf(body)}`,
  );
  return (await Promise.all(texts)).toSorted();
};

describe("a message that arrives again", () => {
  /** Addresses of all kinds, and the names of what is stored because of each. */
  let addresses: readonly (readonly [address: string, becomes: readonly string[]])[];
  beforeEach(async () => {
    const you = await world.recipient("you@home.example");
    const other = await world.alias("other@alias.example", [home(), you]);
    const eve = await world.contact("eve@other.example", other);
    const bob = await reverseOfBob();
    const [fromList] = await send([ALIAS], {
      From: "news@list.example",
      To: ALIAS,
      "List-Unsubscribe": "<mailto:leave@list.example>",
    });
    const list = /^<mailto:([^>]+)>$/.exec(valueIn(fromList?.header ?? "", "list-unsubscribe") ?? "")?.[1];
    addresses = [
      ["postmaster", ["postmaster operator@home.example: Hello\r\n"]],
      ["other@alias.example", ["forward you@home.example: Hello\r\n", "forward me@home.example: Hello\r\n"]],
      [eve, ["reply eve@other.example: Hello\r\n"]],
      [bob, ["reply bob@sender.example: Hello\r\n"]],
      [list ?? "", ["reply leave@list.example: "]],
    ];
  });

  test("after any of its steps failed, is stored once, and whoever has it does not get it again", async () => {
    let arrivals = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(4), { minLength: 1 }),
        fc.array(fc.tuple(fc.nat(4), fc.boolean()), { maxLength: 4 }),
        async (chosen, failures) => {
          arrivals += 1;
          const to = chosen.flatMap((n) => addresses[n]?.[0] ?? []);
          /** As if the process ended at this call of `keep`, before or after it. */
          const failing = (at: number, isLate: boolean): Pick<Spool, "keep"> => {
            let calls = 0;
            return {
              keep: async (mailing) => {
                calls += 1;
                if (calls <= at) return world.spool().keep(mailing);
                if (isLate && calls === at + 1) valueOf(await world.spool().keep(mailing));
                return err(unavailable);
              },
            };
          };
          const arrive = async (plane = world.plane()) => {
            const transaction = plane.beginTransaction(`arrival-${arrivals}`);
            const header = headerOf({ ...FROM_ME, To: "someone@elsewhere.example" });
            const mail = await world.mail(to, { header, returnPath: "me@home.example", transaction });
            const received = await plane.receiveMessage(mail);
            await mail.body.discard();
            return received;
          };
          for (const [at, isLate] of failures) await arrive(world.withSpool(failing(at, isLate)));
          const kept = valueOf(await arrive());
          expect(valueOf(await arrive())).toBe(kept);
          // The author of a message to contacts needs no copy.
          const own = to.some((address) => address === addresses[2]?.[0]) ? "forward me@home.example" : "-";
          const expected = chosen
            .flatMap((n) => addresses[n]?.[1] ?? [])
            .filter((each) => !each.startsWith(own));
          expect(await queued()).toEqual(expected.toSorted());
        },
      ),
    );
  });

  test("is known once it was forwarded, by that name alone", async () => {
    const plane = world.plane();
    const begin = (name?: string) => plane.beginTransaction(name);
    expect(valueOf(await plane.hasArrived(begin("one")))).toBe(false);
    await world.received(await world.mail([ALIAS], { transaction: begin("one") }));
    expect(valueOf(await world.plane().hasArrived(begin("one")))).toBe(true);
    expect(valueOf(await plane.hasArrived(begin("two")))).toBe(false);
    expect(valueOf(await plane.hasArrived(begin()))).toBe(false);
    await world.received(await world.mail([ALIAS], { transaction: begin("two") }));
    await world.received(await world.mail([ALIAS]));
    await world.received(await world.mail([ALIAS]));
    expect(await world.queued()).toHaveLength(4);
  });

  test("is counted as blocked once", async () => {
    const plane = world.plane();
    const block = async () => {
      const mail = await world.mail([ALIAS], {
        authentication: REJECTED,
        transaction: plane.beginTransaction("one"),
      });
      return failureOf(await plane.receiveMessage(mail)).code;
    };
    expect([await block(), await block()]).toEqual(["sender_not_authentic", "sender_not_authentic"]);
    expect(counted(await world.tallies(aliasId()))).toEqual({ blocked: 1 });
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId: aliasId(), active: false }));
    for (const name of ["two", "two", "three"]) {
      failureOf(await plane.admitRecipient(ALIAS, plane.beginTransaction(name)));
    }
    expect(counted(await world.tallies(aliasId()))).toEqual({ blocked: 3 });
  });
});
