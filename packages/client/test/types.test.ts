import { expect, expectTypeOf, test } from "vitest";
import { type Client, type Problem, type Result, type Schemas, throwing } from "../src/index.ts";

/* Nothing here runs: the compiler checks it. */

const checked = (_: (client: Client, ids: readonly string[]) => unknown): void =>
  expect(_).toBeTypeOf("function");

test("what an operation cannot take does not compile", () => {
  checked((client, ids) => [
    // @ts-expect-error: no recipient
    client.replaceRecipients("alias", []),
    // @ts-expect-error: perhaps none
    client.replaceRecipients("alias", ids),
    // @ts-expect-error: no recipient
    client.createAlias({ recipient_ids: [] }),
    // @ts-expect-error: no recipient
    client.createAlias({ alias_email: "shop@alias.example" }),
    // @ts-expect-error: an unknown member
    client.createAlias({ recipient_ids: ["a"], color: "red" }),
    // @ts-expect-error: a chosen address and a generated one
    client.createAlias({ alias_email: "shop@alias.example", alias_format: "words", recipient_ids: ["a"] }),
    // @ts-expect-error: a chosen address and a domain for a generated one
    client.createAlias({
      alias_email: "shop@alias.example",
      alias_domain: "b.example",
      recipient_ids: ["a"],
    }),
    // @ts-expect-error: no events
    client.createWebhook({ url: "https://shop.example", events: [] }),
    // @ts-expect-error: an unknown event
    client.createWebhook({ url: "https://shop.example", events: ["alias.renamed"] }),
    // @ts-expect-error: an unknown member
    client.updateAlias("alias", { active: true, alias_email: "other@alias.example" }),
    // @ts-expect-error: an unknown filter
    client.listAliases({ query: "shop" }),
    // @ts-expect-error: contacts have no such blocking
    client.updateContact("alias", "contact", { blocking: "bounce" }),
    // @ts-expect-error: this has no version
    client.updateRecipient("recipient", { active: false }, { ifMatch: '"1"' }),
    // @ts-expect-error: only creations have a key
    client.updateAlias("alias", { active: true }, { idempotencyKey: "key" }),
    // @ts-expect-error: two ids
    client.getContact("alias"),
    // @ts-expect-error: an unknown option
    client.getAlias("alias", { timeout: 1000 }),
  ]);
});

test("what it can take does", () => {
  checked((client, [first, ...others]) => [
    first !== undefined && client.replaceRecipients("alias", [first, ...others]),
    client.createAlias({ alias_email: "shop@alias.example", recipient_ids: ["a"] }),
    client.createAlias({ alias_format: "words", alias_domain: "alias.example", recipient_ids: ["a"] }),
    client.createAlias(
      { recipient_ids: ["a"], description: undefined },
      { idempotencyKey: "key", signal: undefined },
    ),
    client.updateAlias("alias", { description: null }, { ifMatch: '"1"' }),
    client.restoreAlias("alias"),
    client.listAliases({ q: undefined, limit: 10 }),
  ]);
});

test("codes are narrowed to what the operation can answer", () => {
  type Code<Outcome> =
    Extract<Outcome, { ok: false }> extends { problem: { code: infer Name } } ? Name : never;
  type Get = Code<Result<"getAlias">>;
  expectTypeOf<"alias_not_found">().toExtend<Get>();
  expectTypeOf<"unauthorized" | "insufficient_scope" | "unreachable">().toExtend<Get>();
  expectTypeOf<"address_taken">().not.toExtend<Get>();
  expectTypeOf<string>().not.toExtend<Get>();
  checked(async (client) => {
    const result = await client.getAlias("alias");
    // @ts-expect-error: reading an alias never says so
    if (!result.ok && result.problem.code === "recipients_ineligible") return;
    if (!result.ok && result.problem.code === "unreachable") return result.problem.reason;
    // @ts-expect-error: whether it succeeded is not known
    return result.data;
  });
});

test("what a code always comes with needs no check", () => {
  checked(async (client) => {
    const result = await client.replaceRecipients("alias", ["a"]);
    if (!result.ok && result.problem.code === "recipients_ineligible")
      expectTypeOf(result.problem.recipients[0].id).toEqualTypeOf<string>();
  });
});

test("states and reasons are known values, or others", () => {
  type State = Schemas["Message"]["recipients"][number]["state"];
  expectTypeOf<"bounced" | "of a later version">().toExtend<State>();
  // Otherwise, editors could not suggest the known ones.
  expectTypeOf<State>().not.toEqualTypeOf<string>();
});

test("data is what the document says", () => {
  checked(async (client) => {
    const alias = await client.getAlias("alias");
    if (!alias.ok) return;
    expectTypeOf(alias.data).toEqualTypeOf<Schemas["Alias"]>();
    expectTypeOf(alias.etag).toEqualTypeOf<string>();
    const list = await client.listAliases();
    if (list.ok) expectTypeOf(list.etag).toEqualTypeOf<null>();
    const deleted = await client.deleteRecipient("recipient");
    if (deleted.ok) expectTypeOf(deleted.data).toEqualTypeOf<undefined>();
    for await (const item of client.allContacts("alias")) {
      if (item.ok) expectTypeOf(item.data).toEqualTypeOf<Schemas["Contact"]>();
      else expectTypeOf(item.problem).toEqualTypeOf<Problem<"listContacts">>();
    }
  });
  checked(async (client) => {
    const { getAlias, allMessages } = throwing(client);
    expectTypeOf((await getAlias("alias")).ok).toEqualTypeOf<true>();
    for await (const item of allMessages("alias")) expectTypeOf(item).toEqualTypeOf<Schemas["Message"]>();
  });
});
