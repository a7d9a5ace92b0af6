import { MAX_WEBHOOKS, type Store, type Webhook } from "@postern/core";
import type { Turn, TurnState, WebhookKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import type { Check } from "../check.ts";
import { expectEqual, expectSameItems } from "../expect.ts";
import {
  announcedTo,
  announceNew,
  beginTurns,
  changedWebhook,
  inOrderOfPosition,
  NO_TURNS,
  NOW,
  newAccount,
  newAnnouncement,
  newWebhook,
  newWebhookKey,
  storeWebhook,
  TURN,
} from "../samples.ts";
import { expectOne, type Rival, raceCheckOf } from "./race.ts";

const raceCheck = raceCheckOf("webhooks");

/** The turn of the webhook, if it is due at `now`. */
const turnAt = async (store: Store, webhook: WebhookKey, now: number): Promise<Turn | undefined> =>
  (await beginTurns(store, now)).find(({ id }) => id === webhook.id);

const beginTurn = async (store: Store, webhook: WebhookKey, now: number): Promise<Turn> => {
  const turn = await turnAt(store, webhook, now);
  if (turn === undefined) throw new Error("the webhook is not due, or somebody has its turn");
  return turn;
};

/** Begins turns, and adds the webhook's turn to `begun`. */
const beginning =
  (store: Store, webhook: WebhookKey, begun: Turn[], until = NOW + TURN): Rival =>
  async () => {
    const turns = await store.outbox.begin({ now: NOW, until, limit: 100 });
    begun.push(...turns.unwrapOr([]).filter(({ id }) => id === webhook.id));
    return turns;
  };

export const webhookRaces: readonly Check[] = [
  raceCheck("two creations race for the last place of a webhook: exactly one succeeds", async ({ store }) => {
    const account = newAccount();
    const webhooks: Webhook[] = [];
    while (webhooks.length < MAX_WEBHOOKS - 1) webhooks.push(await storeWebhook(store, account));
    const [one, other] = [newWebhook(account), newWebhook(account)];
    return {
      rivals: [() => store.webhooks.create(one), () => store.webhooks.create(other)],
      verify: async (succeeded) => {
        expectOne(succeeded);
        const listed = valueOf(await store.webhooks.list(account));
        expectSameItems(listed, [...webhooks, succeeded[0] ? one : other]);
      },
    };
  }),

  raceCheck("creating two webhooks with the same id at once: exactly one succeeds", async ({ store }) => {
    const one = newWebhook(newAccount());
    const other = newWebhook(one.account, { id: one.id });
    return {
      rivals: [() => store.webhooks.create(one), () => store.webhooks.create(other)],
      verify: async (succeeded) => {
        expectOne(succeeded);
        expectEqual(valueOf(await store.webhooks.list(one.account)), [succeeded[0] ? one : other]);
      },
    };
  }),

  raceCheck("two saves of a webhook at once: exactly one succeeds", async ({ store }) => {
    const before = await storeWebhook(store, newAccount());
    const one = changedWebhook(before, { off: "owner" });
    const other = changedWebhook(before, { off: "gone" });
    return {
      rivals: [() => store.webhooks.save(before, one), () => store.webhooks.save(before, other)],
      verify: async (succeeded) => {
        expectOne(succeeded);
        expectEqual(valueOf(await store.webhooks.list(before.account)), [succeeded[0] ? one : other]);
      },
    };
  }),

  raceCheck("saving a webhook races with removing it: it is gone", async ({ store }) => {
    const before = await storeWebhook(store, newAccount());
    const after = changedWebhook(before, { off: "failing" });
    return {
      rivals: [
        () => store.webhooks.save(before, after),
        () => store.webhooks.remove(before.account, before.id),
      ],
      verify: async ([, removed]) => {
        expectEqual(removed, true);
        expectEqual(valueOf(await store.webhooks.list(before.account)), []);
      },
    };
  }),

  raceCheck("saving a webhook races with creating another one: both take effect", async ({ store }) => {
    const before = await storeWebhook(store, newAccount());
    const after = changedWebhook(before, { off: "failing" });
    const joining = newWebhook(before.account);
    return {
      rivals: [() => store.webhooks.save(before, after), () => store.webhooks.create(joining)],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        expectSameItems(valueOf(await store.webhooks.list(before.account)), [after, joining]);
      },
    };
  }),

  raceCheck("creating a webhook races with removing another one: both take effect", async ({ store }) => {
    const leaving = await storeWebhook(store, newAccount());
    const joining = newWebhook(leaving.account);
    return {
      rivals: [
        () => store.webhooks.create(joining),
        () => store.webhooks.remove(leaving.account, leaving.id),
      ],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        expectEqual(valueOf(await store.webhooks.list(leaving.account)), [joining]);
      },
    };
  }),

  raceCheck("two servers begin the turn of a webhook at once: exactly one gets it", async ({ store }) => {
    const webhook = newWebhookKey();
    await announceNew(store, webhook);
    const begun: Turn[] = [];
    return {
      rivals: [
        beginning(store, webhook, begun, NOW + TURN),
        beginning(store, webhook, begun, NOW + TURN + 1),
      ],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        const [turn, ...others] = begun;
        if (turn === undefined) throw new Error("nobody has got the turn");
        expectEqual(others, []);
        expectEqual(await turnAt(store, webhook, NOW), undefined);
        // Whoever got it can end it.
        valueOf(await store.outbox.end(turn, { ...NO_TURNS, dueAt: NOW }));
        await beginTurn(store, webhook, NOW);
      },
    };
  }),

  raceCheck(
    "the end of a turn races with the beginning of the next one: the next one begins where the first one ended",
    async ({ store }) => {
      const webhook = newWebhookKey();
      await announceNew(store, webhook);
      const turn = await beginTurn(store, webhook, NOW);
      const state: TurnState = { failures: 2, failingSince: NOW, after: null };
      const begun: Turn[] = [];
      return {
        rivals: [() => store.outbox.end(turn, { ...state, dueAt: NOW }), beginning(store, webhook, begun)],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          const next = begun[0] ?? (await beginTurn(store, webhook, NOW));
          expectEqual(next, { ...webhook, ...state, until: NOW + TURN });
        },
      };
    },
  ),

  raceCheck(
    "a turn that ends with a rest races with the beginning of the next one: the webhook rests",
    async ({ store }) => {
      const webhook = newWebhookKey();
      await announceNew(store, webhook);
      const turn = await beginTurn(store, webhook, NOW);
      const begun: Turn[] = [];
      return {
        rivals: [
          () => store.outbox.end(turn, { ...NO_TURNS, dueAt: NOW + 2 * TURN }),
          beginning(store, webhook, begun),
        ],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          expectEqual(begun, []);
          expectEqual(await turnAt(store, webhook, NOW + TURN), undefined);
        },
      };
    },
  ),

  raceCheck(
    "the end of a turn that is over races with another server getting it: nobody else gets it then",
    async ({ store }) => {
      const webhook = newWebhookKey();
      await announceNew(store, webhook, { at: NOW - TURN });
      const over = await beginTurn(store, webhook, NOW - TURN);
      const begun: Turn[] = [];
      return {
        rivals: [
          () => store.outbox.end(over, { ...NO_TURNS, failures: 7, failingSince: NOW, dueAt: NOW }),
          beginning(store, webhook, begun),
        ],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          const turn = begun[0] ?? (await beginTurn(store, webhook, NOW));
          expectEqual(await turnAt(store, webhook, NOW), undefined);
          valueOf(await store.outbox.end(turn, { ...NO_TURNS, failures: 8, failingSince: NOW, dueAt: NOW }));
          expectEqual((await beginTurn(store, webhook, NOW)).failures, 8);
        },
      };
    },
  ),

  raceCheck("an announcement races with the end of a turn: the webhook is due again", async ({ store }) => {
    const webhook = newWebhookKey();
    const first = await announceNew(store, webhook);
    const turn = await beginTurn(store, webhook, NOW);
    valueOf(await store.outbox.remove([first]));
    const next = newAnnouncement(webhook);
    return {
      rivals: [
        () => store.outbox.announce([next]),
        () => store.outbox.end(turn, { ...NO_TURNS, dueAt: NOW }),
      ],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        expectEqual(await announcedTo(store, webhook), [next]);
        await beginTurn(store, webhook, NOW);
      },
    };
  }),

  raceCheck("an announcement races with the removal of others: it stays", async ({ store }) => {
    const webhook = newWebhookKey();
    const first = await announceNew(store, webhook);
    const second = newAnnouncement(webhook, { alias: first.alias, version: 2 });
    return {
      rivals: [() => store.outbox.announce([second]), () => store.outbox.remove([first])],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        expectEqual(await announcedTo(store, webhook), [second]);
      },
    };
  }),

  raceCheck("two announcements to a webhook at once: both stay, and it is due", async ({ store }) => {
    const webhook = newWebhookKey();
    const [one, other] = [newAnnouncement(webhook), newAnnouncement(webhook)];
    return {
      rivals: [() => store.outbox.announce([one]), () => store.outbox.announce([other])],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        expectEqual(await announcedTo(store, webhook), inOrderOfPosition([one, other]));
        await beginTurn(store, webhook, NOW);
      },
    };
  }),
];
