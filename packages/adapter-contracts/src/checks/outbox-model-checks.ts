import { isNonEmpty, LoggedMessage, type Store } from "@postern/core";
import { Announcement, type Turn, type TurnState, type WebhookKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectSameItems } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  announcedTo,
  beginTurns,
  inOrderOfPosition,
  NO_TURNS,
  NOW,
  newAccount,
  newAnnouncement,
  newMessage,
  newWebhookKey,
  TURN,
} from "../samples.ts";

const check = checkOf("webhooks");

/* Random calls on the outbox of two webhooks, and their expected effect on a store, put as plainly as possible. */

type ModelWebhook = {
  readonly place: WebhookKey;
  announced: readonly Announcement[];
  /** When the next turn is due; null if nothing was announced when the last one ended. */
  dueAt: number | null;
  /** Until when somebody has the turn; 0 if nobody has it. */
  until: number;
  /** How the last turn ended. */
  state: TurnState;
  /** All turns so far, oldest first. */
  readonly begun: Turn[];
};

type Model = {
  /** Both are of one account. */
  readonly webhooks: readonly ModelWebhook[];
  readonly subjects: readonly Pick<Announcement, "alias" | "message">[];
  now: number;
};

const newModel = (): Model => {
  const account = newAccount();
  const places = [newWebhookKey(account), newWebhookKey(account)];
  const { alias } = newAnnouncement(newWebhookKey());
  const message = LoggedMessage.position(newMessage({ account, id: alias }));
  return {
    webhooks: places.map((place) => ({
      place,
      announced: [],
      dueAt: null,
      until: 0,
      state: NO_TURNS,
      begun: [],
    })),
    subjects: [
      { alias, message: null },
      { alias, message },
    ],
    now: NOW,
  };
};

type Command = fc.AsyncCommand<Model, Store>;

/** Compares the store with the model after the command. */
const command = (label: string, run: (model: Model, store: Store) => Promise<void>): Command => ({
  check: () => true,
  run: async (model, store) => {
    await run(model, store);
    for (const { place, announced } of model.webhooks) {
      expectEqual(await announcedTo(store, place), inOrderOfPosition(announced));
    }
  },
  toString: () => label,
});

const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(list.length, 1)];

const announce = (targets: readonly number[], n: number, version: number): Command =>
  command(`announce version ${version} of subject ${n} to webhooks [${targets}]`, async (model, store) => {
    const subject = at(model.subjects, n);
    const webhooks = targets.flatMap((target) => at(model.webhooks, target) ?? []);
    const announcements = webhooks.map(({ place }) =>
      newAnnouncement(place, { ...subject, version, at: model.now }),
    );
    if (isNonEmpty(announcements)) valueOf(await store.outbox.announce(announcements));
    for (const [n, webhook] of webhooks.entries()) {
      const announcement = announcements[n];
      if (announcement === undefined) continue;
      const position = Announcement.position(announcement);
      const others = webhook.announced.filter((each) => Announcement.position(each) !== position);
      webhook.announced = [...others, announcement];
      webhook.dueAt ??= model.now;
    }
  });

const remove = (target: number, n: number, count: number): Command =>
  command(`remove ${count} announcements to webhook ${target} from ${n}`, async (model, store) => {
    const webhook = at(model.webhooks, target);
    const removed = webhook?.announced.slice(n, n + count) ?? [];
    if (webhook === undefined || !isNonEmpty(removed)) return;
    valueOf(await store.outbox.remove(removed));
    webhook.announced = webhook.announced.filter((each) => !removed.includes(each));
  });

const A_YEAR = 365 * 24 * 60 * 60_000;

const begin = (): Command =>
  command("begin the turns that are due", async (model, store) => {
    const { now, webhooks } = model;
    const turns = await beginTurns(store, now);
    const isOwn = (turn: Turn) => webhooks.some(({ place }) => place.id === turn.id);
    const due = webhooks.filter(({ dueAt, until }) => dueAt !== null && dueAt <= now && until <= now);
    expectSameItems(
      turns.filter(isOwn),
      due.map(({ place, state }) => ({ ...place, ...state, until: now + TURN })),
    );
    for (const webhook of due) {
      webhook.until = now + TURN;
      webhook.begun.push(...turns.filter(({ id }) => id === webhook.place.id));
    }
    // Leftovers of earlier sequences must not use up all turns.
    for (const turn of turns.filter((each) => !isOwn(each))) {
      valueOf(await store.outbox.end(turn, { ...NO_TURNS, dueAt: now + A_YEAR }));
    }
  });

/** Ends the latest turn of a webhook, or its first one, which somebody else may have taken over or ended. */
const end = (target: number, which: "latest" | "first", failures: number, rest: number): Command =>
  command(`end the ${which} turn of webhook ${target} with ${failures} failures`, async (model, store) => {
    const webhook = at(model.webhooks, target);
    const turn = webhook?.begun.at(which === "latest" ? -1 : 0);
    if (webhook === undefined || turn === undefined) return;
    const last = webhook.announced.at(-1);
    const state = {
      failures,
      failingSince: failures === 0 ? null : model.now,
      after: last === undefined ? null : Announcement.position(last),
    };
    const dueAt = model.now + rest;
    valueOf(await store.outbox.end(turn, { ...state, dueAt }));
    if (webhook.until !== turn.until) return;
    webhook.until = 0;
    webhook.state = state;
    webhook.dueAt = last === undefined ? null : dueAt;
  });

const wait = (milliseconds: number): Command =>
  command(`wait ${milliseconds} ms`, async (model) => {
    model.now += milliseconds;
  });

const target = fc.nat(1);
const targets = fc.constantFrom<readonly number[]>([0], [1], [0, 1]);

const commands = fc.commands(
  [
    fc.tuple(targets, fc.nat(1), fc.integer({ min: 1, max: 2 })).map((args) => announce(...args)),
    fc.tuple(targets, fc.nat(1), fc.integer({ min: 1, max: 2 })).map((args) => announce(...args)),
    fc.tuple(target, fc.nat(2), fc.integer({ min: 1, max: 2 })).map((args) => remove(...args)),
    fc.tuple(target, fc.constant(0), fc.constant(100)).map((args) => remove(...args)),
    fc.constant(begin()),
    fc.constant(begin()),
    fc
      .tuple(target, fc.constant("latest" as const), fc.nat(2), fc.constantFrom(0, 1, TURN))
      .map((args) => end(...args)),
    fc
      .tuple(target, fc.constantFrom("latest", "first"), fc.nat(2), fc.constantFrom(0, 1, TURN))
      .map((args) => end(...args)),
    fc.constantFrom(1, TURN - 1, TURN).map(wait),
  ],
  { maxCommands: 30, size: "max" },
);

export const outboxModelChecks: readonly Check[] = [
  check("after every step of a random sequence of calls, the outbox matches a plain model", async (store) => {
    await fc.assert(
      fc.asyncProperty(commands, (commands) =>
        fc.asyncModelRun(() => ({ model: newModel(), real: store }), commands),
      ),
      runs(60),
    );
  }),
];
