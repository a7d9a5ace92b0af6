import {
  BLOCKED_REASONS,
  FAILURE_REASONS,
  LOG_RETENTION,
  LoggedMessage,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
} from "@postern/core";
import { testBody, testMessage, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { MESSAGE, messageJson } from "../src/responses/message-json.ts";
import { validatorOf } from "./support/conformance.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
let alias: Parameters<typeof testMessage>[0];
let messages: string;
beforeEach(async () => {
  world = await openWorld(issuer());
  const { alias_id } = await world.alias("shop", [await world.recipient("me")]);
  alias = { account: valueOf(parseAccountId("alice")), id: valueOf(parseAliasId(alias_id)) };
  messages = `/aliases/${alias_id}/messages`;
});

/** The current time in these tests, in the year 2050. */
const NOW = Date.UTC(2050) + 1_000;

const log = async (fields: Partial<LoggedMessage> = {}): Promise<LoggedMessage> => {
  const message = testMessage(alias, { at: NOW, ...fields });
  valueOf(await world.store.messageLog.save(message, NO_LIMITS));
  return message;
};

const email = (text: string) => valueOf(parseEmailAddress(text));

describe("GET /aliases/{alias_id}/messages", () => {
  test.each(["", "/v1"])("shows what became of a message, under %j", async (prefix) => {
    const message = await log({
      subject: "Your order",
      copies: [
        { to: email("Home@Mail.example"), state: "delivered", at: NOW + 2, reason: null },
        { to: email("work@mail.example"), state: "bounced", at: NOW + 1, reason: "mailbox_full" },
      ],
    });
    expect(await world.call("GET", `${prefix}${messages}`)).toMatchObject({
      status: 200,
      body: {
        messages: [
          {
            message_id: LoggedMessage.position(message),
            datetime_received: NOW,
            direction: "received",
            contact: { email: "bob@sender.example", contact_id: null },
            size: 12_345,
            subject: "Your order",
            blocked: null,
            unsubscribes_from: null,
            recipients: [
              { email: "Home@mail.example", state: "delivered", datetime_changed: NOW + 2, reason: null },
              {
                email: "work@mail.example",
                state: "bounced",
                datetime_changed: NOW + 1,
                reason: { code: "mailbox_full", message: "The mailbox is full." },
              },
            ],
            resendable_until: null,
          },
        ],
        next_cursor: null,
      },
    });
  });

  test("names the contact that a message is from, who can then be blocked at this alias", async () => {
    await log({ contact: email("BOB@sender.example") });
    const contacts = messages.replace("/messages", "/contacts");
    const { contact_id } = (await world.call("POST", contacts, { body: { email: "bob@sender.example" } }))
      .body;
    const { body } = await world.call("GET", messages);
    expect(body.messages).toMatchObject([{ contact: { email: "BOB@sender.example", contact_id } }]);
    const blocked = await world.call("PATCH", `${contacts}/${contact_id}`, { body: { blocking: "reject" } });
    expect(blocked).toMatchObject({ status: 200, body: { blocking: "reject" } });
  });

  test("shows replies, and why a message was blocked", async () => {
    const { at, id } = await log({ blocked: "contact_blocked", copies: [], contact: null, size: null });
    const unsubscribesFrom = LoggedMessage.position({ at, id });
    await log({ at: at + 1, direction: "sent", contact: null, unsubscribesFrom });
    const { body } = await world.call("GET", messages);
    expect(body.messages).toMatchObject([
      { direction: "sent", contact: null, blocked: null, unsubscribes_from: unsubscribesFrom },
      {
        direction: "received",
        contact: null,
        size: null,
        subject: null,
        blocked: { code: "contact_blocked", message: "You have blocked this contact." },
        recipients: [],
      },
    ]);
  });

  test("lists messages newest first, page by page", async () => {
    for (const n of [1, 2, 3]) await log({ at: NOW + n });
    const seen: number[] = [];
    for (let query: string | null = ""; query !== null; ) {
      const page: Awaited<ReturnType<World["call"]>> = await world.call("GET", `${messages}?limit=2${query}`);
      expect(page.status).toBe(200);
      seen.push(
        ...page.body.messages.map(
          ({ datetime_received }: { readonly datetime_received: number }) => datetime_received,
        ),
      );
      query = page.body.next_cursor === null ? null : `&cursor=${page.body.next_cursor}`;
    }
    expect(seen).toEqual([NOW + 3, NOW + 2, NOW + 1]);
  });

  test("rejects a cursor of another list, and shows nothing of other accounts", async () => {
    for (const name of ["x", "y"]) await world.recipient(name);
    const { body } = await world.call("GET", "/recipients?limit=1");
    expect(await world.call("GET", `${messages}?cursor=${body.next_cursor}`)).toMatchObject({ status: 400 });
    expect(await world.call("GET", messages, { as: "bob" })).toMatchObject({ status: 404 });
  });
});

describe("GET /aliases/{alias_id}/messages/{message_id}", () => {
  test("shows the message as the list does, for 30 days", async () => {
    await log();
    const { body } = await world.call("GET", messages);
    const [message] = body.messages;
    const url = `${messages}/${message.message_id}`;
    expect(await world.call("GET", url)).toMatchObject({ status: 200, body: message });
    expect(await world.call("GET", url, { as: "bob" })).toMatchObject({
      status: 404,
      body: { code: "alias_not_found" },
    });
    world.advance(LOG_RETENTION + 1_000);
    expect(await world.call("GET", url)).toMatchObject({ status: 404, body: { code: "message_not_found" } });
    expect((await world.call("GET", messages)).body).toEqual({ messages: [], next_cursor: null });
  });

  test("requires a valid id", async () => {
    expect(await world.call("GET", `${messages}/newest`)).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ parameter: "message_id" }] },
    });
  });
});

describe("POST /aliases/{alias_id}/messages/{message_id}/resend", () => {
  test("accepts the request, and shows how long resending is possible", async () => {
    const keptBody = testBody(NOW + 60_000);
    const message = await log({ keptBody });
    const url = `${messages}/${LoggedMessage.position(message)}`;
    const response = await world.call("POST", `${url}/resend`);
    expect(response).toMatchObject({ status: 202, body: { resendable_until: NOW + 60_000 } });
    expect(response.body).toEqual((await world.call("GET", url)).body);
    expect(valueOf(await world.store.resends.list(keptBody.spool, 10))).toMatchObject([
      { message: message.id },
    ]);
    expect(await world.call("POST", `${url}/resend`, { as: "bob" })).toMatchObject({
      status: 404,
      body: { code: "alias_not_found" },
    });
    world.advance(62_000);
    expect(await world.call("POST", `${url}/resend`)).toMatchObject({
      status: 409,
      body: { code: "message_not_kept", detail: expect.stringContaining("resendable_until") },
    });
  });

  test("is a conflict while the alias is switched off or deleted", async () => {
    const message = await log({ keptBody: testBody(NOW + 60_000) });
    const url = `${messages}/${LoggedMessage.position(message)}/resend`;
    const aliasUrl = messages.replace("/messages", "");
    await world.call("PATCH", aliasUrl, { body: { active: false } });
    expect(await world.call("POST", url)).toMatchObject({ status: 409, body: { code: "alias_inactive" } });
    await world.call("DELETE", aliasUrl);
    expect(await world.call("POST", url)).toMatchObject({ status: 409, body: { code: "alias_deleted" } });
  });
});

test("has a different text for each reason, in the documented format", () => {
  const json = (fields: Partial<LoggedMessage>) =>
    messageJson({ ...testMessage(alias, fields), contactId: null });
  const blocked = BLOCKED_REASONS.map((reason) => json({ blocked: reason }));
  const failed = FAILURE_REASONS.map((reason) =>
    json({ copies: [{ to: email("a@b.example"), state: "bounced", at: 1, reason }] }),
  );
  for (const each of [...blocked, ...failed]) expect(validatorOf(MESSAGE.schema)(each)).toBe(true);
  const texts = [...JSON.stringify([blocked, failed]).matchAll(/"message":"([^"]+)"/g)].map(
    ([, text]) => text,
  );
  expect(new Set(texts).size).toBe(BLOCKED_REASONS.length + FAILURE_REASONS.length);
  for (const text of texts) expect(text).toMatch(/^[A-Z].*\.$/);
});
