import { isNonEmpty, LoggedMessage, parseAccountId, parseAliasId, type Store } from "@postern/core";
import {
  Announcement,
  type AnnouncementPosition,
  type NextTurn,
  type Turn,
  type TurnState,
  type WebhookKey,
} from "@postern/core/store";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectSameItems } from "../expect.ts";
import {
  announcedTo,
  announceNew,
  beginTurns,
  inOrderOfPosition,
  NO_TURNS,
  NOW,
  newAccount,
  newAnnouncement,
  newMessage,
  newWebhookId,
  newWebhookKey,
  TURN,
} from "../samples.ts";
import { tryToChange } from "../try-to-change.ts";

const check = checkOf("webhooks");

const remove = async (store: Store, announcement: Announcement): Promise<void> =>
  valueOf(await store.outbox.remove([announcement]));

/** Throws unless exactly these webhooks get a turn at `now`, in any order. Returns their turns. */
const expectTurns = async (
  store: Store,
  now: number,
  webhooks: readonly WebhookKey[],
): Promise<readonly Turn[]> => {
  const turns = await beginTurns(store, now);
  const keyOf = ({ account, id }: WebhookKey) => JSON.stringify([account, id]);
  expectSameItems(turns.map(keyOf), webhooks.map(keyOf));
  return turns;
};

/** Throws unless the webhook gets a turn at `now`, and no other does. Returns the turn. */
const expectTurn = async (store: Store, now: number, webhook: WebhookKey): Promise<Turn> => {
  const [turn] = await expectTurns(store, now, [webhook]);
  if (turn === undefined) throw new Error("there is no turn");
  return turn;
};

/** Ends the turn; by default, without failures, and the webhook is due again at once. */
const end = async (store: Store, turn: Turn, next: Partial<NextTurn> = {}): Promise<void> =>
  valueOf(await store.outbox.end(turn, { ...NO_TURNS, dueAt: NOW, ...next }));

const stateOf = ({ failures, failingSince, after }: TurnState): TurnState => ({
  failures,
  failingSince,
  after,
});

/** States that differ in every field from each other and from `NO_TURNS`. */
const statesAfter = (announcement: Announcement): readonly [TurnState, ...TurnState[]] => [
  { failures: 3, failingSince: NOW - 9, after: Announcement.position(announcement) },
  { failures: 4, failingSince: 0, after: null },
  { failures: 0, failingSince: null, after: Announcement.position({ ...announcement, version: 9 }) },
];

/** Positions of messages in the log of the alias, in chronological order. */
const newMessagePositions = ({ account, alias }: Announcement) => {
  const { id } = newMessage({ account, id: alias });
  return [LoggedMessage.position({ at: NOW, id }), LoggedMessage.position({ at: NOW + 1, id })] as const;
};

export const outboxChecks: readonly Check[] = [
  check("an announcement is listed with every field until it is removed", async (store) => {
    const webhook = newWebhookKey();
    const alias = newAnnouncement(webhook);
    const [position] = newMessagePositions(alias);
    const message = newAnnouncement(webhook, { message: position, version: 12, at: NOW + 1 });
    expectEqual(await announcedTo(store, webhook), []);
    valueOf(await store.outbox.announce([alias, message]));
    // Announcing the same thing again adds nothing.
    valueOf(await store.outbox.announce([message]));
    expectEqual(await announcedTo(store, webhook), inOrderOfPosition([alias, message]));
    for (let times = 0; times < 2; times += 1) {
      await remove(store, alias);
      expectEqual(await announcedTo(store, webhook), [message]);
    }
    valueOf(await store.outbox.announce([alias]));
    valueOf(await store.outbox.remove([message, alias]));
    expectEqual(await announcedTo(store, webhook), []);
  }),

  check("announcements that differ in one field are separate", async (store) => {
    const webhook = newWebhookKey();
    const first = newAnnouncement(webhook);
    const [position, later] = newMessagePositions(first);
    const announcements = [
      first,
      { ...first, version: 2 },
      { ...first, at: NOW + 1 },
      { ...first, message: position },
      { ...first, message: later },
      { ...first, alias: valueOf(parseAliasId(`${first.alias}${position}`)) },
      newAnnouncement(webhook),
    ] as const;
    valueOf(await store.outbox.announce(announcements));
    for (const [n, announcement] of announcements.entries()) {
      expectEqual(await announcedTo(store, webhook), inOrderOfPosition(announcements.slice(n)));
      await remove(store, announcement);
    }
    expectEqual(await announcedTo(store, webhook), []);
  }),

  check("what is announced to several webhooks at once is announced to each of them", async (store) => {
    const account = newAccount();
    const [one, two, three] = [newWebhookKey(account), newWebhookKey(account), newWebhookKey(account)];
    const subject = newAnnouncement(one);
    const toOne = { ...subject, at: NOW };
    const toTwo = { ...subject, webhook: two.id, at: NOW + 1 };
    const toThree = { ...subject, webhook: three.id, at: NOW + 2 };
    valueOf(await store.outbox.announce([toOne, toTwo, toThree]));
    expectEqual(await announcedTo(store, one), [toOne]);
    expectEqual(await announcedTo(store, two), [toTwo]);
    expectEqual(await announcedTo(store, three), [toThree]);
    for (const [n, webhook] of [one, two, three].entries()) await expectTurn(store, NOW + n, webhook);
    await remove(store, toTwo);
    expectEqual(await announcedTo(store, one), [toOne]);
    expectEqual(await announcedTo(store, two), []);
    expectEqual(await announcedTo(store, three), [toThree]);
  }),

  check("pages of any size list what is announced to a webhook once, in order", async (store) => {
    const webhook = newWebhookKey();
    await announceNew(store, newWebhookKey(webhook.account));
    const ids = [...KEY_LIKE_IDS.slice(0, 6), "\u{1f4e7}", "\uffee"];
    const aliases = ids.map((id) => valueOf(parseAliasId(id)));
    // Their order is neither that of their versions nor that of their times.
    const samples = aliases.map((alias, n) =>
      newAnnouncement(webhook, { alias, version: 1 + ((n * 5) % 8), at: NOW + ((n * 3) % 8) }),
    );
    const [first = newAnnouncement(webhook)] = samples;
    const [position, later] = newMessagePositions(first);
    samples.push({ ...first, version: 9 }, { ...first, version: 10 }, { ...first, at: NOW + 9 });
    samples.push({ ...first, message: later }, { ...first, message: position, version: 2 });
    for (const announcement of samples) valueOf(await store.outbox.announce([announcement]));
    const all = inOrderOfPosition(samples);
    for (let limit = 1; limit <= all.length + 1; limit += 1) {
      for (let from = 0; from < all.length; from += 1) {
        const before = all[from - 1];
        const after: AnnouncementPosition | null = before ? Announcement.position(before) : null;
        const items = all.slice(from, from + limit);
        const last = items.at(-1);
        const next = from + limit < all.length && last ? Announcement.position(last) : null;
        expectEqual(valueOf(await store.outbox.list(webhook, { limit, after })), { items, next });
      }
    }
    // A page can start after one that is gone.
    const [newest, gone, ...rest] = all;
    if (newest === undefined || gone === undefined) throw new Error("the samples are incomplete");
    await remove(store, gone);
    const after = Announcement.position(gone);
    expectEqual(valueOf(await store.outbox.list(webhook, { limit: 100, after })), {
      items: rest,
      next: null,
    });
  }),

  check("a full page of announcements can be removed at once", async (store) => {
    const webhook = newWebhookKey();
    const announcements = Array.from({ length: 103 }, (_, n) => newAnnouncement(webhook, { version: n + 1 }));
    for (const each of announcements) valueOf(await store.outbox.announce([each]));
    const { items, next } = valueOf(await store.outbox.list(webhook, { limit: 100, after: null }));
    expectEqual([items.length, next === null], [100, false]);
    if (isNonEmpty(items)) valueOf(await store.outbox.remove(items));
    expectEqual(await announcedTo(store, webhook), inOrderOfPosition(announcements).slice(100));
  }),

  check(
    "webhooks with the same id, of accounts with similar ids, have announcements and turns of their own",
    async (store) => {
      const id = newWebhookId();
      const places = KEY_LIKE_IDS.map((account) => ({ account: valueOf(parseAccountId(account)), id }));
      const { alias } = newAnnouncement(newWebhookKey());
      const announced = new Map<WebhookKey, Announcement>();
      for (const [n, place] of places.entries()) {
        announced.set(place, await announceNew(store, place, { alias, at: NOW + n }));
      }
      const expectAnnounced = async () => {
        for (const place of places) {
          const announcement = announced.get(place);
          expectEqual(await announcedTo(store, place), announcement === undefined ? [] : [announcement]);
        }
      };
      await expectAnnounced();
      for (const place of places.filter((_, n) => n % 2 === 1)) {
        const announcement = announced.get(place);
        if (announcement !== undefined) await remove(store, announcement);
        announced.delete(place);
      }
      await expectAnnounced();
      const turns = await expectTurns(store, NOW + places.length, places);
      for (const place of places) {
        const turn = turns.find(({ account }) => account === place.account);
        if (turn === undefined) throw new Error("there is no turn");
        await end(store, turn);
        // Webhooks without announcements get no further turn, and turns that are not ended go on.
        await expectTurns(store, NOW + places.length, announced.has(place) ? [place] : []);
      }
    },
  ),

  check("announcements and turns are not shared with callers", async (store) => {
    const webhook = newWebhookKey();
    const announcement = newAnnouncement(webhook);
    const given = structuredClone(announcement);
    valueOf(await store.outbox.announce([given]));
    tryToChange(given);
    tryToChange(await announcedTo(store, webhook));
    expectEqual(await announcedTo(store, webhook), [announcement]);
    const lost = await expectTurn(store, NOW, webhook);
    tryToChange(lost);
    const turn = await expectTurn(store, NOW + TURN, webhook);
    expectEqual(turn, { ...webhook, ...NO_TURNS, until: NOW + 2 * TURN });
    const [state] = statesAfter(announcement);
    const next = { ...state, dueAt: NOW };
    valueOf(await store.outbox.end(turn, next));
    tryToChange(next);
    expectEqual(stateOf(await expectTurn(store, NOW, webhook)), state);
  }),

  check(
    "a webhook is due from its first announcement, and somebody has its turn until it ends",
    async (store) => {
      const webhook = newWebhookKey();
      await expectTurns(store, NOW + TURN, []);
      await announceNew(store, webhook, { at: NOW + 5 });
      // Neither a later announcement nor an earlier one changes when it is due.
      await announceNew(store, webhook, { at: NOW + 9 });
      await announceNew(store, webhook, { at: NOW });
      await expectTurns(store, NOW + 4, []);
      const turn = await expectTurn(store, NOW + 5, webhook);
      expectEqual(turn, { ...webhook, ...NO_TURNS, until: NOW + 5 + TURN });
      await expectTurns(store, NOW + 5, []);
      await expectTurns(store, NOW + 4 + TURN, []);
      await end(store, turn, { dueAt: NOW + 7 });
      // The same holds for what is announced while it rests.
      await announceNew(store, webhook, { at: NOW + 6 });
      await announceNew(store, webhook, { at: NOW + 8 });
      await expectTurns(store, NOW + 6, []);
      // It can rest for longer than its turn could have taken.
      await end(store, await expectTurn(store, NOW + 7, webhook), { dueAt: NOW + 3 * TURN });
      await expectTurns(store, NOW + 3 * TURN - 1, []);
      await expectTurn(store, NOW + 3 * TURN, webhook);
    },
  ),

  check(
    "a turn that never ends passes to another holder, and its former holder can no longer end it",
    async (store) => {
      const webhook = newWebhookKey();
      const announcement = await announceNew(store, webhook);
      const [state] = statesAfter(announcement);
      const [lost] = valueOf(await store.outbox.begin({ now: NOW, until: NOW + 5 * TURN, limit: 100 }));
      if (lost === undefined) throw new Error("there is no turn");
      await expectTurns(store, NOW + 5 * TURN - 1, []);
      const turn = await expectTurn(store, NOW + 5 * TURN, webhook);
      expectEqual(stateOf(turn), NO_TURNS);
      await end(store, lost, state);
      await expectTurns(store, NOW + 5 * TURN, []);
      await end(store, turn);
      await end(store, lost, state);
      expectEqual(stateOf(await expectTurn(store, NOW + 5 * TURN, webhook)), NO_TURNS);
    },
  ),

  check("a turn begins where the last one ended", async (store) => {
    const webhook = newWebhookKey();
    const announcement = await announceNew(store, webhook);
    let turn = await expectTurn(store, NOW, webhook);
    for (const state of [...statesAfter(announcement), NO_TURNS]) {
      await end(store, turn, state);
      // Only the first end counts.
      await end(store, turn, { failures: 99, failingSince: 99 });
      turn = await expectTurn(store, NOW, webhook);
      expectEqual(stateOf(turn), state);
    }
  }),

  check(
    "a turn that ends with nothing announced leaves the webhook not due until something is",
    async (store) => {
      const webhook = newWebhookKey();
      let announcement = await announceNew(store, webhook);
      for (const state of [...statesAfter(announcement), NO_TURNS]) {
        const turn = await expectTurn(store, NOW, webhook);
        await remove(store, announcement);
        await end(store, turn, { ...state, dueAt: NOW + 1 });
        await expectTurns(store, NOW + TURN, []);
        announcement = await announceNew(store, webhook, { at: NOW + 3 });
        await expectTurns(store, NOW + 2, []);
        const next = await expectTurn(store, NOW + 3, webhook);
        // Where a webhook without failures continues does not matter when there was nothing left.
        expectEqual(next.failures, state.failures);
        expectEqual(next.failingSince, state.failingSince);
        await end(store, next);
      }
    },
  ),

  check("what is announced during a turn makes the webhook due again when it ends", async (store) => {
    const webhook = newWebhookKey();
    const first = await announceNew(store, webhook);
    const turn = await expectTurn(store, NOW, webhook);
    const second = await announceNew(store, webhook, { at: NOW + 1 });
    await expectTurns(store, NOW + 1, []);
    await remove(store, first);
    await end(store, turn, { dueAt: NOW + 2 });
    await expectTurns(store, NOW + 1, []);
    await expectTurn(store, NOW + 2, webhook);
    expectEqual(await announcedTo(store, webhook), [second]);
  }),

  check("as many turns begin as are asked for, of those that have been due for longest", async (store) => {
    const webhooks = [4, 1, 3, 0, 2].map((later) => ({ ...newWebhookKey(), later }));
    for (const webhook of webhooks) await announceNew(store, webhook, { at: NOW + webhook.later });
    /** Throws unless the turns begin in this order, as far as it can be seen. */
    const expectOrder = async (now: number, order: readonly WebhookKey[]): Promise<readonly Turn[]> => {
      const begun: Turn[] = [];
      for (const limit of [2, 1, 5]) {
        const expected = order.slice(begun.length, begun.length + limit);
        const turns = valueOf(await store.outbox.begin({ now, until: now + TURN, limit }));
        expectSameItems(
          turns.map(({ id }) => id),
          expected.map(({ id }) => id),
        );
        begun.push(...turns);
      }
      return begun;
    };
    const turns = await expectOrder(
      NOW + 9,
      webhooks.toSorted((a, b) => a.later - b.later),
    );
    for (const [n, turn] of turns.entries()) await end(store, turn, { dueAt: NOW + 19 - n });
    await expectOrder(NOW + 19, turns.toReversed());
  }),

  check("100 turns begin at once, and the others next", async (store) => {
    const account = newAccount();
    const webhooks = Array.from({ length: 103 }, () => newWebhookKey(account));
    for (const webhook of webhooks) await announceNew(store, webhook);
    const begun: Turn[] = [];
    for (const count of [100, 3, 0]) {
      const turns = await beginTurns(store, NOW);
      expectEqual(turns.length, count);
      begun.push(...turns);
    }
    expectSameItems(
      begun.map(({ id }) => id),
      webhooks.map(({ id }) => id),
    );
  }),
];
