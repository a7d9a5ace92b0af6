import { beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  world = await openWorld(issuer());
});

const block = async (sender: unknown, as = "alice") =>
  world.call("POST", "/blocked-senders", { as, body: { sender } });

const listed = async (as = "alice") => (await world.call("GET", "/blocked-senders", { as })).body;

describe("POST /blocked-senders", () => {
  test.each(["", "/v1"])("blocks a domain under %j; blocking it again changes nothing", async (prefix) => {
    const blocked = await world.call("POST", `${prefix}/blocked-senders`, {
      body: { sender: "Spam.EXAMPLE" },
    });
    expect(blocked).toMatchObject({
      status: 200,
      body: {
        blocked_sender_id: expect.stringMatching(/^[a-z2-7]{26}$/),
        sender: "spam.example",
        datetime_created: expect.any(Number),
      },
    });
    expect(await block("spam.example")).toMatchObject({ status: 200, body: blocked.body });
    expect(await listed()).toEqual({ blocked_senders: [blocked.body], next_cursor: null });
    expect(await listed("bob")).toEqual({ blocked_senders: [], next_cursor: null });
  });

  test("blocks an address, whatever its case", async () => {
    const blocked = await block("Bob@Shop.example");
    expect(blocked.body.sender).toBe("Bob@shop.example");
    expect(await block("BOB@shop.example")).toMatchObject({ status: 200, body: blocked.body });
  });

  test.each(["spam", "a@b@spam.example", 7, undefined])(
    "refuses %j, and names the member",
    async (sender) => {
      expect(await block(sender)).toMatchObject({
        status: 400,
        body: { code: "invalid_request", errors: [{ pointer: "/sender" }] },
      });
      expect((await listed()).blocked_senders).toEqual([]);
    },
  );

  test("fails at the account's limit", async () => {
    world = await openWorld(issuer(), { limits: { blockedSenders: 1 } });
    await block("a.example");
    expect(await block("b.example")).toMatchObject({
      status: 403,
      body: { code: "too_many_blocked_senders", limit: 1 },
    });
    expect(await block("a.example")).toMatchObject({ status: 200 });
    expect(await block("b.example", "bob")).toMatchObject({ status: 200 });
  });
});

describe("GET /blocked-senders", () => {
  test("lists each blocked sender once, page by page", async () => {
    const senders = ["a.example", "b.example", "c.example", "bob@d.example", "eve@d.example"];
    for (const sender of senders) await block(sender);
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let query: string | null = ""; query !== null; ) {
      const page: Awaited<ReturnType<World["call"]>> = await world.call(
        "GET",
        `/blocked-senders?limit=2${query}`,
      );
      expect(page.status).toBe(200);
      sizes.push(page.body.blocked_senders.length);
      seen.push(...page.body.blocked_senders.map(({ sender }: { readonly sender: string }) => sender));
      query = page.body.next_cursor === null ? null : `&cursor=${page.body.next_cursor}`;
    }
    expect(seen.toSorted()).toEqual(senders.toSorted());
    expect(sizes).toEqual([2, 2, 1]);
  });

  test("rejects a cursor of another list", async () => {
    for (const name of ["x", "y"]) await world.recipient(name);
    const { body } = await world.call("GET", "/recipients?limit=1");
    expect(await world.call("GET", `/blocked-senders?cursor=${body.next_cursor}`)).toMatchObject({
      status: 400,
    });
  });
});

describe("DELETE /blocked-senders/{blocked_sender_id}", () => {
  test("removes a blocked sender of the account only, and can be repeated", async () => {
    const [{ body: one }, { body: other }] = [await block("a.example"), await block("b.example")];
    const url = `/blocked-senders/${one.blocked_sender_id}`;
    expect(await world.call("DELETE", url, { as: "bob" })).toMatchObject({ status: 204 });
    expect((await listed()).blocked_senders).toHaveLength(2);
    for (let times = 0; times < 2; times += 1) {
      expect(await world.call("DELETE", url)).toMatchObject({ status: 204 });
      expect((await listed()).blocked_senders).toEqual([other]);
    }
    expect(await block("a.example")).toMatchObject({
      status: 200,
      body: { blocked_sender_id: one.blocked_sender_id },
    });
  });

  test("requires a valid id", async () => {
    expect(await world.call("DELETE", "/blocked-senders/spam.example")).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ parameter: "blocked_sender_id" }] },
    });
  });
});
