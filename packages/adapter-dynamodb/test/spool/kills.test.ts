import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { valueOf } from "@postern/core/testing";
import type { LoggedRevision, Spool } from "@postern/mail";
import { runsWhole } from "@postern/test-support/runs-whole";
import { expectAcknowledged, type Line, linesOf, startWriter } from "@postern/test-support/spool-lines";
import { NOW } from "@postern/test-support/spool-mail";
import { expect, test } from "vitest";
import { LONG, type Place, useSpools } from "./support/use-spools.ts";

const WRITER = join(import.meta.dirname, "support/spool-writer.ts");
const ROUNDS = runsWhole(import.meta.url) ? 30 : 2;
const DAY = 24 * 60 * 60 * 1_000;

const { dynamo, documents, buckets, newPlace, open, objects } = useSpools();

const keyOf = ({ id, account, alias, revision }: LoggedRevision): string =>
  JSON.stringify([id, account, alias, revision]);

/** Throws if something counts as unlogged that was logged. */
const expectLogged = async (spool: Spool, lines: readonly Line[]) => {
  const unlogged = valueOf(await spool.unlogged(1_000_000)).map(
    ({ alias: { account, id: alias }, message: { id }, revision }) => keyOf({ id, account, alias, revision }),
  );
  const logged = new Set(lines.flatMap((line) => line.logged ?? []).map(keyOf));
  expect(unlogged.filter((each) => logged.has(each))).toEqual([]);
};

/** Throws unless each copy has its message, and each body its object. */
const expectSound = async (place: Place) => {
  const { Items = [] } = await documents().send(new ScanCommand({ TableName: place.table }));
  const records = Items.flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data)]));
  const messages = new Set(records.flatMap(({ message }) => message?.id ?? []));
  const copies = records.flatMap(({ copy }) => copy ?? []);
  expect(copies.filter(({ message }) => !messages.has(message))).toEqual([]);
  const names = records.flatMap(({ content }) => content?.name ?? []);
  expect([...(await objects(place))].sort()).toEqual(names.sort());
};

test.each([1, 20])(
  `after each of ${ROUNDS} kills of %d concurrent writers, everything acknowledged is there, and nothing is half done`,
  { timeout: 300_000 + ROUNDS * 60_000 },
  async (writers) => {
    const place = await newPlace();
    let lines: readonly Line[] = [];
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { table, bucket } = place;
      const ahead = 2 * round * LONG;
      const args = [dynamo().endpoint, buckets().endpoint, table, bucket, `${writers}`, `${ahead}`];
      const writer = startWriter(WRITER, args);
      await (round % 2 === 0 ? writer.firstAcknowledged : writer.firstLine);
      await setTimeout(5 + Math.random() * 300);
      writer.kill();
      const { signal, output } = await writer.ended;
      expect(signal).toBe("SIGKILL");
      // Later rounds settle what earlier ones kept, so all lines count.
      lines = [...lines, ...linesOf(output)];
      const spool = valueOf(
        await open(place, { limit: 2 ** 30, clock: { now: () => Date.now() + ahead + LONG } }),
      );
      const before = acknowledged;
      acknowledged = await expectAcknowledged(spool, lines);
      expect(acknowledged).toBeGreaterThanOrEqual(before);
      await expectLogged(spool, lines);
      // A day later, it looks for what the killed process has left.
      while (valueOf(await spool.sweep(NOW + (round + 1) * DAY)));
      await expectSound(place);
      await spool.close();
    }
    expect(acknowledged).toBeGreaterThan(0);
  },
);
