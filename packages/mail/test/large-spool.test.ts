import { memorySpool } from "@postern/adapter-memory";
import { newCopyId, newMessageId, parseEmailAddress } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { Copy } from "@postern/mail";
import { expect, test } from "vitest";

/** More than a function takes arguments. */
const MANY = 150_000;
const NOW = 1_700_000_000_000;

test("a spool says when the first of very many messages is due, and how old it is", {
  timeout: 120_000,
}, async () => {
  const { random } = testPorts().secrets;
  const spool = memorySpool({ limit: 2 ** 40 });
  const to = valueOf(parseEmailAddress("me@home.example"));
  async function* nothing(): AsyncGenerator<Uint8Array> {}
  for (let n = 0; n < MANY; n += 1) {
    const id = newMessageId(random);
    const body = valueOf(await spool.receive(nothing()));
    const message = { origin: "own", id, createdAt: NOW + n, header: "A: b\r\n", size: 8 } as const;
    const purpose = { kind: "notice", alias: null } as const;
    const copy = Copy.create({ id: newCopyId(random), message: id, to, purpose }, NOW + n);
    valueOf(await spool.keep({ message, body, copies: [copy] }));
  }
  expect(valueOf(await spool.nextDue(NOW))).toBe(NOW + 1);
  expect(valueOf(await spool.size())).toMatchObject({ queued: MANY, oldestAt: NOW });
});
