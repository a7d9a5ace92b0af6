import { FAILURE_REASONS, MAIL_OUTCOMES } from "@postern/core";
import { MAIL_RETENTION } from "@postern/mail";
import * as fc from "fast-check";
import { runs } from "../runs.ts";
import {
  countOutcomes,
  delay,
  discard,
  drop,
  expectFullAgreement,
  keep,
  keepAgain,
  log,
  logAll,
  readUnlogged,
  receive,
  reopen,
  report,
  reportAll,
  resend,
  retry,
  settle,
  settleAll,
  sweep,
  take,
  wait,
} from "./model/spool-commands.ts";
import { emptySpool, type SpoolModel } from "./model/spool-model.ts";
import { type SpoolCheck, type SpoolWorld, spoolCheck } from "./spool-check.ts";
import { ACCEPTED, DAY, DEFERRED, NOW, REFUSED, RELAY_DOWN } from "./spool-samples.ts";

const HOUR = 60 * 60 * 1_000;

// Few larger ones, because each takes as long as hundreds of others.
const size = fc.oneof({ weight: 30, arbitrary: fc.nat(300) }, { weight: 1, arbitrary: fc.constant(300_000) });
const answer = fc.constantFrom(ACCEPTED, REFUSED, REFUSED, DEFERRED, RELAY_DOWN);
const reason = fc.constantFrom(null, ...FAILURE_REASONS);
const outcome = fc.constantFrom(...MAIL_OUTCOMES, "bounced" as const, "bounced" as const);
const copies = fc.tuple(fc.nat(9), fc.nat(3), fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 4 }));
const pick = fc.nat(30);

const commands = fc.commands(
  [
    size.map(receive),
    size.map(receive),
    pick.map(discard),
    copies.map((args) => keep(...args)),
    copies.map((args) => keep(...args)),
    pick.map(keepAgain),
    fc.tuple(fc.constantFrom(1, 2, 3, 5, 100), fc.option(fc.nat(3))).map((args) => take(...args)),
    fc.tuple(fc.constantFrom(1, 2, 3, 5, 100), fc.option(fc.nat(3))).map((args) => take(...args)),
    fc.tuple(pick, answer, fc.boolean()).map((args) => settle(...args)),
    fc.tuple(pick, answer, fc.boolean()).map((args) => settle(...args)),
    fc.tuple(pick, answer, fc.boolean()).map((args) => settle(...args)),
    fc.tuple(answer, fc.boolean()).map((args) => settleAll(...args)),
    fc.tuple(pick, outcome, reason, fc.boolean()).map((args) => report(...args)),
    fc.tuple(pick, fc.constantFrom(...FAILURE_REASONS)).map((args) => delay(...args)),
    fc.tuple(pick, outcome, fc.boolean()).map((args) => reportAll(...args)),
    fc.constantFrom(1, 2, 100).map(readUnlogged),
    fc.constant(log()),
    fc.constant(logAll()),
    fc.constant(logAll()),
    fc.constantFrom(1, 2, 10).map(countOutcomes),
    fc.constant(sweep()),
    pick.map(retry),
    fc
      .tuple(pick, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }), fc.nat(2))
      .map((args) => resend(...args)),
    pick.map(drop),
    fc.constantFrom(1, HOUR, 5 * HOUR, 7 * DAY, MAIL_RETENTION).map(wait),
    fc.constant(reopen()),
  ],
  { maxCommands: 50, size: "max" },
);

/** Runs always begin with messages, because random calls rarely keep one and settle all of its copies. */
const BEGINNING = [
  ...[receive(3), keep(0, 1, 1, 2)],
  ...[receive(0), keep(0, 2, 2, 3)],
  ...[receive(1), keep(0, 1, 1, 1)],
  ...[receive(2), keep(0, 0, 1, 1)],
];

/** Ends the run without anything left, so that the next one can begin on the same spool. */
const finish = async (model: SpoolModel, world: SpoolWorld): Promise<void> => {
  for (const { body } of model.received.splice(0)) await body.discard();
  model.now += 100 * HOUR;
  await take(10_000, null).run(model, world);
  for (const { copy } of model.messages.flatMap(({ copies }) => copies)) {
    if (copy.state !== "queued") continue;
    const found = model.messages.flatMap(({ copies }) => copies).findIndex((one) => one.copy.id === copy.id);
    await drop(found).run(model, world);
  }
  await countOutcomes(10_000).run(model, world);
  model.now += 2 * MAIL_RETENTION;
  await sweep().run(model, world);
  await expectFullAgreement(model, world);
};

export const modelChecks: readonly SpoolCheck[] = [
  spoolCheck(
    "after every step of a random sequence of calls and crashes, the spool matches a plain model",
    async (world) => {
      // Runs that succeed share one spool, which is empty after each.
      let isEmpty = true;
      await fc.assert(
        fc.asyncProperty(commands, async (commands) => {
          if (!isEmpty) await world.renew();
          isEmpty = false;
          const model = emptySpool(NOW);
          for (const command of BEGINNING) await command.run(model, world);
          await fc.asyncModelRun(() => ({ model, real: world }), commands);
          await expectFullAgreement(model, world);
          await finish(model, world);
          isEmpty = true;
        }),
        runs(100),
      );
    },
  ),
];
