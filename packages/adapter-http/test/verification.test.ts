import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Issuer, startIssuer } from "./support/issuer.ts";
import { openWorld, type World } from "./support/world.ts";

let issuer: Issuer;
let world: World;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());
beforeEach(async () => {
  world = await openWorld(issuer);
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const add = async () =>
  (await world.call("POST", "/recipients", { body: { recipient_email: "a@mail.example" } })).body
    .recipient_id;
const resend = (id: string, prefix = "") => world.call("POST", `${prefix}/recipients/${id}/verification`);
const confirm = (link: string | undefined) =>
  world.call("GET", `/recipients/verify?token=${link}&confirm=true`, { as: null });

describe("POST /recipients/{recipient_id}/verification", () => {
  test.each(["", "/v1"])("sends a new link, under %j; the previous one stops working", async (prefix) => {
    const id = await add();
    world.advance(MINUTE);
    const resent = await resend(id, prefix);
    const { verification_mail, ...recipient } = resent.body;
    expect([resent.status, verification_mail]).toEqual([200, "sent"]);
    expect(recipient).toEqual((await world.call("GET", `/recipients/${id}`)).body);
    expect(recipient.verified).toBe(false);
    expect(world.links).toHaveLength(2);

    const before = await world.contents("alice");
    const superseded = await confirm(world.links[0]);
    const forged = await confirm("forged");
    expect(superseded).toMatchObject({ status: 400, body: { code: "link_invalid" } });
    expect(superseded.body).toEqual(forged.body);
    expect(await world.contents("alice")).toEqual(before);
    expect((await confirm(world.links[1])).body).toEqual({ verified: true });
  });

  test("a link expires a day after it was sent; a newer one still works", async () => {
    const id = await add();
    world.advance(DAY);
    expect(await confirm(world.links[0])).toMatchObject({ status: 400, body: { code: "link_invalid" } });
    await resend(id);
    world.advance(DAY - MINUTE);
    expect((await confirm(world.links[1])).body).toEqual({ verified: true });
  });

  test("says if the message could not be sent; it can be sent again later", async () => {
    world.mailWorks(false);
    const id = await add();
    world.advance(MINUTE);
    expect(await resend(id)).toMatchObject({ status: 200, body: { verification_mail: "not_sent" } });
    world.mailWorks(true);
    world.advance(MINUTE);
    expect(await resend(id)).toMatchObject({ status: 200, body: { verification_mail: "sent" } });
    expect((await confirm(world.links.at(-1))).body).toEqual({ verified: true });
  });

  test("a verified recipient gets no message", async () => {
    const id = await world.recipient("a");
    const before = await world.contents("alice");
    expect(await resend(id)).toMatchObject({
      status: 200,
      body: { verified: true, verification_mail: "not_needed" },
    });
    expect(world.links).toEqual([]);
    expect(await world.contents("alice")).toEqual(before);
  });

  test("another one within a minute is 429 with Retry-After; the link already sent still works", async () => {
    const id = await add();
    const before = await world.contents("alice");
    const refused = await resend(id);
    expect(refused).toMatchObject({
      status: 429,
      headers: { "retry-after": "60" },
      body: { code: "rate_limited" },
    });
    world.advance(30_000);
    const { status, headers } = await resend(id);
    expect([status, headers["retry-after"]]).toEqual([429, "30"]);
    expect(await world.contents("alice")).toEqual(before);
    expect(world.links).toHaveLength(1);
    expect((await confirm(world.links[0])).body).toEqual({ verified: true });
  });

  test("Retry-After is exactly long enough", async () => {
    const id = await add();
    world.advance(12_345);
    const wait = Number((await resend(id)).headers["retry-after"]) * 1000;
    world.advance(wait - 2000);
    expect((await resend(id)).status).toBe(429);
    world.advance(2000);
    expect((await resend(id)).status).toBe(200);
  });

  test("the sixth in a day is 429 until the first is a day old", async () => {
    const id = await add();
    for (let i = 0; i < 4; i += 1) {
      world.advance(MINUTE);
      expect((await resend(id)).status).toBe(200);
    }
    world.advance(60 * MINUTE);
    const refused = await resend(id);
    const wait = Number(refused.headers["retry-after"]);
    expect(refused.status).toBe(429);
    expect(wait).toBeGreaterThan(22 * 3600);
    expect(wait).toBeLessThan(24 * 3600);
    expect(world.links).toHaveLength(5);
    world.advance(wait * 1000);
    expect((await resend(id)).status).toBe(200);
    expect((await resend(id)).status).toBe(429);
  });

  test("each recipient has its own limits", async () => {
    await add();
    const body = { recipient_email: "b@mail.example" };
    const other = (await world.call("POST", "/recipients", { body })).body.recipient_id;
    world.advance(MINUTE);
    expect((await resend(other)).status).toBe(200);
    expect((await resend(other)).status).toBe(429);
  });
});
