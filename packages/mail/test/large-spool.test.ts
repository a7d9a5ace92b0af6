import { memorySpool } from "@postern/adapter-memory";
import { newCopyId, newMessageId, parseEmailAddress } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { Copy, type Spool } from "@postern/mail";
import { expect, onTestFinished, test, vi } from "vitest";

/** More than a function takes arguments. */
const MANY = 150_000;
const NOW = 1_700_000_000_000;

const { random } = testPorts().secrets;

async function* chunks(count: number): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < count; n += 1) yield new Uint8Array(100);
}

/** Keeps a message with one copy, which is due at `at`. */
const keep = async (spool: Spool, at: number): Promise<void> => {
  const id = newMessageId(random);
  const body = valueOf(await spool.receive(chunks(1)));
  const message = { origin: "own", id, createdAt: at, header: "A: b\r\n", size: 108 } as const;
  const purpose = { kind: "notice", alias: null } as const;
  const to = valueOf(parseEmailAddress("me@home.example"));
  const copy = Copy.create({ id: newCopyId(random), message: id, to, purpose }, at);
  valueOf(await spool.keep({ message, body, copies: [copy] }));
};

test("a spool says when the first of very many messages is due, and how old it is", {
  timeout: 120_000,
}, async () => {
  const spool = memorySpool({ limit: 2 ** 40 });
  for (let n = 0; n < MANY; n += 1) await keep(spool, NOW + n);
  expect(valueOf(await spool.nextDue(NOW))).toBe(NOW + 1);
  expect(valueOf(await spool.size())).toMatchObject({ queued: MANY, oldestAt: NOW });
});

test("a body evicts others whenever one of its chunks needs room, and they are sorted once for it", async () => {
  const spool = memorySpool({ limit: 100_000 });
  while (valueOf(await spool.size()).bytes < 98_000) await keep(spool, NOW);
  for (const { copy } of valueOf(await spool.take(NOW, 1_000, [])).copies)
    valueOf(await spool.settle(copy.id, Copy.after(copy, { kind: "accepted" }, NOW, random), null));
  const sort = vi.spyOn(Array.prototype, "sort");
  onTestFinished(() => sort.mockRestore());
  const body = valueOf(await spool.receive(chunks(900)));
  expect(sort).toHaveBeenCalledTimes(1);
  expect(body.size).toBe(90_000);
  expect(valueOf(await spool.size()).bytes).toBeLessThanOrEqual(100_000);
});
