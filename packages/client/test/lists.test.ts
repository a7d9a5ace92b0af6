import { expect, test } from "vitest";
import { throwing } from "../src/index.ts";
import { collected } from "./support/collected.ts";
import { changed, cut, lost, reply } from "./support/proxy.ts";
import { startService } from "./support/service.ts";

const { proxy, newAccount } = await startService();

/** A page without its items: searches have such pages. */
const emptied = changed((answer) => {
  const { next_cursor } = JSON.parse(answer.body);
  answer.body = JSON.stringify({ recipients: [], next_cursor });
});

test("a list goes on after short and empty pages, and requests no page before it is needed", async () => {
  const { client, addressOf } = newAccount();
  const names = ["ada", "bea", "cleo", "dora"];
  for (const name of names) await throwing(client).addRecipient(addressOf(name));
  const found: string[] = [];
  const list = throwing(client).allRecipients({ limit: 1 });
  const { requests } = await proxy.during([emptied, lost, emptied, cut], async () => {
    for await (const { recipient_email } of list) found.push(recipient_email);
  });
  // The first two pages are lost to the proxy.
  expect(found).toEqual([addressOf("bea"), addressOf("ada")]);
  expect(requests).toHaveLength(6);

  const { requests: one } = await proxy.during([], async () => {
    for await (const { recipient_email } of throwing(client).allRecipients({ limit: 2 })) {
      if (recipient_email === addressOf("cleo")) break;
    }
  });
  expect(one).toHaveLength(1);
});

test("a failure is the last that a list yields", async () => {
  const { client } = newAccount();
  for (const sender of ["a.example", "b.example"]) await client.blockSender(sender);
  const html = reply(404, { "content-type": "text/html" }, "<p>");
  const all = async (faults: readonly (typeof html)[]) => {
    const { result } = await proxy.during(faults, () => collected(client.allBlockedSenders({ limit: 1 })));
    return result;
  };
  const nothing = changed(() => {});
  expect(await all([nothing, html])).toEqual([
    { ok: true, data: expect.any(Object) },
    expect.objectContaining({ ok: false, problem: expect.objectContaining({ code: "unreachable" }) }),
  ]);
  const odd = reply(200, { "content-type": "application/json" }, "{}");
  expect(await all([odd])).toMatchObject([{ ok: false, problem: { reason: "not_the_api" } }]);
  // Cursors are of one account and list.
  expect(await collected(client.allAliases({ cursor: "AAAA" }))).toMatchObject([
    { ok: false, problem: { code: "invalid_request" } },
  ]);
});

test("a recipient is replaced in all its aliases, however many calls that takes", async () => {
  const { client, newRecipient } = newAccount();
  const { createAlias, getRecipient } = throwing(client);
  const [home, work] = [await newRecipient("home"), await newRecipient("work")];
  const made: string[] = [];
  for (let count = 0; count < 51; count += 1)
    made.push((await createAlias({ recipient_ids: [home] })).data.alias_id);
  const { result, requests } = await proxy.during([], () => client.reassignAll(home, work));
  if (!result.ok) return expect.unreachable(result.problem.code);
  expect(result.data.remaining).toBe(0);
  expect(result.data.reassigned.toSorted()).toEqual(made.toSorted());
  expect(requests).toHaveLength(3);
  expect((await getRecipient(home)).data.alias_count).toBe(0);

  // An alias is created behind the cursor: it is found when the aliases are gone through again.
  const attached = changed((answer) => {
    answer.body = JSON.stringify({ ...JSON.parse(answer.body), remaining: 1, next_cursor: null });
  });
  await createAlias({ recipient_ids: [home] });
  const again = await proxy.during([attached], () => client.reassignAll(home, work));
  expect(again.result).toMatchObject({ ok: true, data: { reassigned: [expect.any(String)], remaining: 0 } });
  // What cannot be replaced does not keep it going.
  const stuck = await proxy.during(attached, () => client.reassignAll(home, work));
  expect(stuck.result).toEqual({ ok: true, data: { reassigned: [], remaining: 1 } });
  expect(await client.reassignAll(home, home)).toMatchObject({ problem: { code: "invalid_request" } });
});
