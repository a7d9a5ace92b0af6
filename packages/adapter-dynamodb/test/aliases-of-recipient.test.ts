import {
  Alias,
  type AliasId,
  NO_LIMITS,
  parseAliasId,
  parseRecipientIds,
  type Recipient,
} from "@postern/core";
import { deleteRecipient, reassignRecipient } from "@postern/core/operations";
import type { AliasFilter, Page } from "@postern/core/store";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { newAliasItem } from "../src/alias-item.ts";
import { Key, Partition } from "../src/table.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { forwardingProxy, reply } from "./support/forwarding-proxy.ts";
import { putAll, scan, withoutAttachmentItems } from "./support/items.ts";
import { openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useMeteredStore } from "./support/use-metered-store.ts";

/* A recipient's aliases are found by its attachment items, however many other aliases there are. */

/** More than a page could examine otherwise. */
const OTHERS = 900;

const [owner, rare, target] = [recipient("owner"), recipient("rare"), recipient("target")];
const idAt = (n: number) => valueOf(parseAliasId(`alias-${String(n).padStart(4, "0")}`));

const { dynamo, documents, metered, table, store } = useMeteredStore();

beforeEach(async () => {
  for (const each of [owner, rare, target]) valueOf(await store().recipients.create(each, NO_LIMITS));
});

const named = (n: number, recipients: readonly Recipient[]): Alias => ({
  ...alias(`alias-${n}`, recipients),
  id: idAt(n),
});

/** Aliases of the owner between and after those of `rare`, which are at these places. */
const fill = async (...places: readonly number[]) => {
  const others = Array.from({ length: OTHERS }, (_, n) => n).filter((n) => !places.includes(n));
  await putAll(
    documents(),
    table(),
    // Nothing reads their tally items.
    others.map((n) => newAliasItem(named(n, [owner]))),
  );
  const aliases = places.map((n) => named(n, [rare]));
  for (const each of aliases) valueOf(await store().aliases.create(each, NO_LIMITS));
  metered();
  return aliases;
};

const walk = async (limit: number, filter: AliasFilter): Promise<readonly Page<Alias, AliasId>[]> => {
  const pages: Page<Alias, AliasId>[] = [];
  let after: AliasId | null = null;
  do {
    const page: Page<Alias, AliasId> = valueOf(await store().aliases.list(ACCOUNT, { limit, after }, filter));
    pages.push(page);
    after = page.next;
  } while (after !== null);
  return pages;
};

const idsOf = (pages: readonly Page<Alias, AliasId>[]) =>
  pages.flatMap(({ items }) => items.map(({ id }) => id));

const ofRare = { deleted: false, recipient: rare.id };

/** The aliases of each recipient according to its attachment items, and how many of them the recipient says it has. */
const listed = async () => {
  const items = await scan(documents(), table());
  const pairs = items.flatMap((item) => Partition.attachment(item) ?? []);
  return (id: Recipient["id"]) => ({
    aliases: pairs.filter((pair) => pair.recipient === id).map((pair) => pair.alias),
    items: items.find(({ sk }) => sk === `recipient#${id}`)?.["attachmentItems"],
  });
};

const { clock } = testPorts(NOW);

describe("among many newer aliases", () => {
  test("a refused removal names the only alias, and reads next to nothing", async () => {
    await fill(0);
    const removed = await deleteRecipient({ ...store(), clock })({ account: ACCOUNT, recipientId: "rare" });
    expect(failureOf(removed)).toEqual({ code: "recipient_attached", attached: 1, aliasIds: [idAt(0)] });
    const read = metered();
    // The recipient; the newest aliases; the recipient again, with its attachments; the alias; its tally items.
    expect(read.map(({ operation }) => operation)).toEqual([
      "BatchGetItem",
      "Query",
      "BatchGetItem",
      "Query",
      "BatchGetItem",
      "BatchGetItem",
    ]);
    expect(read.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(11);
  });

  test("all are listed on full pages, and only what is shown is paid for", async () => {
    const places = [1, 2, 100, 333, 334, 335, 500, 501, 700, 799, 800];
    const aliases = await fill(...places);
    const pages = await walk(4, ofRare);
    expect(idsOf(pages)).toEqual(places.map(idAt).reverse());
    expect(pages.map(({ items }) => items.length)).toEqual([4, 4, 3]);
    expect(pages[0]?.items).toEqual(aliases.slice(-4).reverse());
    // At most 8 for each page, and 5 for each alias.
    expect(metered().reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(80);
  });

  test("aliases between them are not read", async () => {
    const aliases = await fill(1, 880);
    expect((await walk(2, ofRare)).flatMap(({ items }) => items)).toEqual(aliases.toReversed());
    expect(metered().reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(20);
  });

  test("the other conditions of a filter hold too", async () => {
    const [first, second] = await fill(3, 4);
    if (first === undefined || second === undefined) return expect.unreachable("there are two");
    valueOf(await store().aliases.save(first, { ...first, active: false, description: "mine", version: 2 }));
    expect(idsOf(await walk(5, { ...ofRare, active: true }))).toEqual([second.id]);
    expect(idsOf(await walk(5, { ...ofRare, active: false }))).toEqual([first.id]);
    expect(idsOf(await walk(5, { ...ofRare, q: "mine" }))).toEqual([first.id]);
    metered();
    expect(idsOf(await walk(5, { ...ofRare, deleted: true }))).toEqual([]);
    expect(metered()).toEqual([]);
  });

  test("all are reassigned in as few calls as possible", async () => {
    const places = Array.from({ length: 30 }, (_, n) => n * 20);
    const aliases = await fill(...places);
    const call = reassignRecipient({ ...store(), clock });
    const command = { account: ACCOUNT, recipientId: "rare", to: "target" };
    const first = valueOf(await call(command));
    expect(first).toMatchObject({ remaining: 5 });
    const second = valueOf(await call({ ...command, after: first.next }));
    expect(second).toMatchObject({ remaining: 0, next: null });
    expect([...first.reassigned, ...second.reassigned]).toEqual(aliases.map(({ id }) => id).reverse());
    const of = await listed();
    expect(of(rare.id)).toEqual({ aliases: [], items: 0 });
    expect(of(target.id)).toEqual({ aliases: aliases.map(({ id }) => id), items: 30 });
  });
});

test("a page of a recipient that most aliases list is read like any other", async () => {
  const many = Array.from({ length: 60 }, (_, n) => named(n, n % 10 === 3 ? [owner] : [rare]));
  for (const each of many) valueOf(await store().aliases.create(each, NO_LIMITS));
  metered();
  const page = valueOf(await store().aliases.list(ACCOUNT, { limit: 20, after: null }, ofRare));
  expect(page.items.map(({ id }) => id)).toEqual(
    many
      .filter((_, n) => n % 10 !== 3)
      .map(({ id }) => id)
      .reverse()
      .slice(0, 20),
  );
  expect(metered().map(({ operation }) => operation)).toEqual(["Query", "Query", "Query"]);
});

describe("if a server without attachment items", () => {
  test("has attached a recipient, its aliases are found as before, even among newer ones", async () => {
    const aliases = await fill(5, 6, 7, 890);
    const [first, second, third, fourth] = aliases;
    if (!first || !second || !third || !fourth) return expect.unreachable("there are four");
    for (const each of [first, second]) await withoutAttachmentItems(documents(), table(), each);
    expect(idsOf(await walk(3, ofRare))).toEqual([fourth.id, third.id, second.id, first.id]);
    // Changes by this version leave it that way.
    for (const each of [second, third]) valueOf(await store().aliases.save(each, Alias.delete(each, NOW)));
    const fifth = alias("zzz", [rare]);
    valueOf(await store().aliases.create(fifth, NO_LIMITS));
    expect(idsOf(await walk(3, ofRare))).toEqual([fifth.id, fourth.id, first.id]);
  });

  test("has detached a recipient, its items are ignored", async () => {
    const [only] = await fill(5);
    if (only === undefined) return expect.unreachable("there is one");
    // As if this had been saved by such a server.
    valueOf(await store().aliases.save(only, Alias.delete(only, NOW)));
    await putAll(documents(), table(), [{ ...Key.attachment(ACCOUNT, rare.id, only.id), schema: 1 }]);
    expect(idsOf(await walk(3, ofRare))).toEqual([]);
  });
});

describe("more recipients than one transaction can attach and detach", () => {
  const sets = ["a", "b"].map((name) => Array.from({ length: 40 }, (_, n) => recipient(`${name}${n}`)));
  const [before = [], after = []] = sets;
  const swap = (of: Alias, to: readonly Recipient[]): Alias =>
    valueOf(Alias.replaceRecipients(of, valueOf(parseRecipientIds(to.map(({ id }) => id))), to, NOW));

  const expectListed = async (...expected: readonly (readonly [readonly Recipient[], aliases: number])[]) => {
    const of = await listed();
    for (const [recipients, aliases] of expected)
      for (const { id } of recipients) expect(of(id)).toMatchObject({ items: aliases });
    return of;
  };

  /** Repairs differences, all of which must be about surplus items. */
  const repair = async () => {
    for await (const difference of store().differences(() => {})) {
      const { kind, remedy } = valueOf(difference);
      expect(kind).toBe("attachment");
      if (remedy.by === "repair") expect(valueOf(await remedy.repair())).toBe("repaired");
    }
  };

  let wide: Alias;
  beforeEach(async () => {
    for (const each of sets.flat()) valueOf(await store().recipients.create(each, NO_LIMITS));
    wide = alias("wide", before);
    valueOf(await store().aliases.create(wide, NO_LIMITS));
    metered();
  });

  test("are replaced in three transactions, and listed", async () => {
    valueOf(await store().aliases.save(wide, swap(wide, after)));
    expect(metered().map(({ written }) => written.length)).toEqual([40, 81, 41]);
    const of = await expectListed([before, 0], [after, 1]);
    for (const { id } of before) expect(of(id).aliases).toEqual([]);
    for (const { id } of after) expect(of(id).aliases).toEqual(["wide"]);
  });

  test("are replaced in one transaction if it has room", async () => {
    const others = [...after.slice(0, 24), ...before.slice(0, 15)];
    valueOf(await store().aliases.save(wide, swap(wide, others)));
    expect(metered().map(({ written }) => written.length)).toEqual([99]);
    await expectListed([others, 1], [before.slice(15), 0]);
  });

  test("are all listed, whichever of the three fails, and a repair removes surplus items", async () => {
    let passing = 0;
    // DynamoDB refuses an empty request for good.
    const proxy = await faultProxy(dynamo().endpoint, (body, operation) => {
      if (operation !== "TransactWriteItems") return body;
      passing -= 1;
      return passing < 0 ? Buffer.from("{}") : body;
    });
    const faulty = openStore(dynamo().client(proxy.endpoint), table());
    for (const transactions of [0, 1, 2]) {
      passing = transactions;
      const saved = await faulty.aliases.save(wide, swap(wide, after));
      expect(saved.isOk()).toBe(transactions === 2);
      const [attached, detached] = saved.isOk() ? [after, before] : [before, after];
      const of = await expectListed([attached, 1], [detached, 0]);
      for (const { id } of attached) expect(of(id).aliases).toEqual(["wide"]);
      for (const { id } of [...attached.slice(0, 2), ...detached.slice(0, 2)]) {
        const page = await store().aliases.list(
          ACCOUNT,
          { limit: 3, after: null },
          { deleted: false, recipient: id },
        );
        const found = attached.some((each) => each.id === id) ? ["wide"] : [];
        expect(valueOf(page).items.map((each) => each.id)).toEqual(found);
      }
    }
    const left = await listed();
    for (const { id } of before) expect(left(id).aliases).toEqual(["wide"]);
    await repair();
    const of = await expectListed([before, 0], [after, 1]);
    for (const { id } of before) expect(of(id).aliases).toEqual([]);
    for (const { id } of after) expect(of(id).aliases).toEqual(["wide"]);
    faulty.close();
    await proxy.close();
  });

  test("are not attached by a save whose items a repair has taken for leftovers in the meantime", async () => {
    let transactions = 0;
    const proxy = await forwardingProxy(dynamo().endpoint, async ({ operation, body, outgoing, forward }) => {
      if (operation === "TransactWriteItems") transactions += 1;
      // The items are there, and the alias does not list the recipients yet.
      if (transactions === 2) await repair();
      reply(outgoing, await forward(body));
    });
    const slow = openStore(dynamo().client(proxy.endpoint), table());
    expect(failureOf(await slow.aliases.save(wide, swap(wide, after)))).toMatchObject({ code: "conflict" });
    const of = await expectListed([before, 1], [after, 0]);
    for (const { id } of after) expect(of(id).aliases).toEqual([]);
    const { alias } = valueOf(await store().aliases.findWithRecipients(ACCOUNT, wide.id, []));
    const found = alias ?? expect.unreachable("it exists");
    valueOf(await slow.aliases.save(found, swap(found, after)));
    const then = await expectListed([before, 0], [after, 1]);
    for (const { id } of after) expect(then(id).aliases).toEqual(["wide"]);
    slow.close();
    await proxy.close();
  });

  test("change nothing that is read if the save conflicts", async () => {
    const changed = { ...wide, description: "changed", version: 2 };
    valueOf(await store().aliases.save(wide, changed));
    expect(failureOf(await store().aliases.save(wide, swap(wide, after)))).toMatchObject({
      code: "conflict",
    });
    for (const { id } of after.slice(0, 3)) {
      const found = await store().aliases.list(
        ACCOUNT,
        { limit: 3, after: null },
        { deleted: false, recipient: id },
      );
      expect(valueOf(found).items).toEqual([]);
    }
    // Then another save attaches what the refused one has put.
    valueOf(await store().aliases.save(changed, swap(changed, after)));
    await expectListed([before, 0], [after, 1]);
  });
});
