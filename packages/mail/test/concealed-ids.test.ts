import { testPorts } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exchangedId, exchangedIds, exchangedMessageId } from "../src/rewriting/concealed-ids.ts";
import { ALIAS, address, octets } from "./support/mail.ts";

const { secrets } = testPorts();
const exchange = (id: string, alias = ALIAS.email) => exchangedId(id, alias, secrets);
const exchangeAll = (value: string) => exchangedIds(value, ALIAS.email, secrets);
const id = fc.oneof(
  octets()
    .map((text) => text.replace(/[<>\s]/g, ""))
    .filter((text) => text !== ""),
  fc.emailAddress(),
  fc.constantFrom("m-@alias.example", "m-abc@alias.example", "m-abc@other.example", "m-abc"),
);

describe("a message id", () => {
  test("is concealed for the other side, and restored when it comes back", async () => {
    await fc.assert(
      fc.property(id, (id) => {
        const concealed = exchange(id);
        expect(concealed).toMatch(/^m-[A-Za-z0-9_-]+@alias\.example$/);
        expect(concealed).not.toBe(id);
        expect(exchange(concealed ?? "")).toBe(id);
        expect(exchange(id)).toBe(concealed);
      }),
    );
  });

  test("may have comments and white space around it, and nothing else", () => {
    const exchanged = (value: string) => exchangedMessageId(value, ALIAS.email, secrets);
    const alone = exchanged("<1@sender.example>");
    expect(alone).toBe(`<${exchange("1@sender.example")}>`);
    for (const value of [
      "<1@sender.example> (added by postmaster@sender.example)",
      "(a) (b)<1@sender.example> ",
    ])
      expect(exchanged(value)).toBe(alone);
    for (const value of ["", "<1@a> <2@a>", "x <1@a>", "<1@a> x", "(<1@a>)", `<${"a".repeat(501)}>`])
      expect(exchanged(value)).toBeNull();
  });

  test("is a different one at each alias, and not revealed at another alias", () => {
    const other = address("other@alias.example");
    const concealed = exchange("1@sender.example") ?? "";
    expect(exchange("1@sender.example", other)).not.toBe(concealed);
    expect(exchange(exchange(concealed, other) ?? "", other)).toBe(concealed);
    expect(exchange(concealed, other)).not.toBe("1@sender.example");
    expect(exchange(concealed, address("SHOP@alias.example"))).toBe("1@sender.example");
  });

  test("of another domain in the same form is concealed like any other", () => {
    const forged = (exchange("1@sender.example") ?? "").replace("alias.example", "other.example");
    expect(exchange(exchange(forged) ?? "")).toBe(forged);
  });

  test("does not show how long it is", () => {
    const shown = new Set<number>();
    const conceal = (text: string) => `${shown.add(text.length).size}`;
    for (let length = 1; length <= 500; length += 1) {
      exchangedId("a".repeat(length), ALIAS.email, { ...secrets, conceal });
    }
    expect([...shown]).toEqual([96, 192, 384, 500]);
  });

  test("that was concealed with its own length is still revealed", () => {
    const concealed = secrets.conceal("1@sender.example", `message id:${ALIAS.email}`);
    expect(exchange(`m-${concealed}@alias.example`)).toBe("1@sender.example");
  });

  test("of up to 500 characters is exchanged", () => {
    expect(exchange("a".repeat(500))).not.toBeNull();
    expect(exchange("a".repeat(501))).toBeNull();
  });
});

describe("the ids of a thread", () => {
  test("are exchanged in their order, and everything else is left out", () => {
    const concealed = exchange("2@x");
    expect(exchangeAll(`<1@x>\t<${concealed}> Bob's <a b> of "today" <3@x><>`)).toBe(
      `<${exchange("1@x")}> <2@x> <${exchange("3@x")}>`,
    );
    expect(exchangeAll(`<${"a".repeat(501)}> <1@x>`)).toBe(`<${exchange("1@x")}>`);
    expect(exchangeAll("")).toBe("");
    expect(exchangeAll("1@x")).toBe("");
  });

  test("are only the first one and the last 49 if there are more than 50", () => {
    const ids = Array.from({ length: 60 }, (_, n) => `${n}@x`);
    const written = (some: readonly string[]) => some.map((each) => `<${each}>`).join(" ");
    const passedOn = (count: number) => exchangeAll(exchangeAll(written(ids.slice(0, count))));
    expect(passedOn(50)).toBe(written(ids.slice(0, 50)));
    expect(passedOn(60)).toBe(written(["0@x", ...ids.slice(11)]));
  });
});
