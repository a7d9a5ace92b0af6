import { beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  world = await openWorld(issuer());
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const post = (recipient_email: string, as = "alice") =>
  world.call("POST", "/recipients", { as, body: { recipient_email } });
const add = async () => (await post("a@mail.example")).body.recipient_id;
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

  test("says if the message could not be sent, does not count it, and allows another one at once", async () => {
    world.mailWorks(false);
    const id = await add();
    expect(await resend(id)).toMatchObject({ status: 200, body: { verification_mail: "not_sent" } });
    world.mailWorks(true);
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

  test("another message within a minute is 429 with Retry-After; the link already sent still works", async () => {
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

  test("the sixth message in a day is 429 until the first is a day old", async () => {
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

  test("each mailbox has its own limits", async () => {
    await add();
    const other = (await post("b@mail.example")).body.recipient_id;
    world.advance(MINUTE);
    expect((await resend(other)).status).toBe(200);
    expect((await resend(other)).status).toBe(429);
  });
});

describe("POST /recipients", () => {
  const REFUSED = { status: 429, headers: { "retry-after": "60" }, body: { code: "rate_limited" } };

  test.each([
    ["by another account", "a@mail.example", "bob"],
    ["in another case and with a tag", "A+tag@MAIL.example", "alice"],
  ])(
    "for the same mailbox within a minute, %s, is 429 with Retry-After; nothing is stored",
    async (_, email, as) => {
      await add();
      const before = await world.contents("alice", "bob");
      expect(await post(email, as)).toMatchObject(REFUSED);
      expect(await world.contents("alice", "bob")).toEqual(before);
      expect(world.links).toHaveLength(1);
      world.advance(MINUTE);
      expect((await post(email, as)).status).toBe(201);
    },
  );

  test("repeated, with deletions in between, sends at most 1 message a minute, 5 a day and 20 in 30 days", async () => {
    const attempt = async () => {
      const { status, body } = await post("a@mail.example");
      if (status === 201) await world.call("DELETE", `/recipients/${body.recipient_id}`);
      expect([201, 429]).toContain(status);
    };
    for (let i = 0; i < 5; i += 1) await attempt();
    expect(world.links).toHaveLength(1);
    for (let i = 0; i < 10; i += 1) {
      world.advance(MINUTE);
      await attempt();
    }
    expect(world.links).toHaveLength(5);
    for (let day = 1; day < 30; day += 1) {
      world.advance(DAY - 6 * MINUTE);
      for (let i = 0; i < 6; i += 1) {
        world.advance(MINUTE);
        await attempt();
      }
    }
    expect(world.links).toHaveLength(20);
  });

  test("an account can send a limited number of messages a day, whichever mailboxes they go to", async () => {
    world = await openWorld(issuer(), { limits: { verificationMessages: 2 } });
    await add();
    const other = (await post("b@mail.example")).body.recipient_id;
    world.advance(60 * MINUTE);
    const before = await world.contents("alice");
    const refused = await post("c@mail.example");
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect((await resend(other)).status).toBe(429);
    expect(await world.contents("alice")).toEqual(before);
    expect((await post("c@mail.example", "bob")).status).toBe(201);
    world.advance(1000 * Number(refused.headers["retry-after"]));
    expect((await resend(other)).status).toBe(200);
  });
});
