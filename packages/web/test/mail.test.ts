import { expect, test } from "vitest";
import {
  announced,
  closeBrowserAtEnd,
  expectAccessible,
  expectFits,
  focused,
  openApp,
  signIn,
} from "./support/browser.ts";
import { FAILURES, failOnce, problemResponse } from "./support/failures.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();

const SENDER = "orders@books.example";

/** Somebody with an alias, who looks at it. */
const atAlias = async (options: Parameters<typeof openApp>[2] = {}) => {
  const person = await world.newPerson();
  const home = `home-${person.email.split("@")[0]}@home.example`;
  const recipient = await person.newRecipient(home);
  const { data: alias } = await person.api.createAlias({ recipient_ids: [recipient] });
  const page = await openApp(world, `/aliases/${alias.alias_id}`, { bypassCSP: true, ...options });
  await signIn(page, person);
  await page.getByRole("heading", { name: "No message yet" }).waitFor();
  const logged = async () => (await person.api.listMessages(alias.alias_id)).data.messages;
  return { person, page, alias, home, recipient, logged };
};

test("a message arrives; its author is blocked here and everywhere, and what is blocked says why", async () => {
  const { person, page, alias, home, logged } = await atAlias();
  await expectAccessible(page);
  expect(await world.send(SENDER, alias.alias_email, { subject: "Your order" })).toMatch(/^250/);
  await expect.poll(async () => (await logged())[0]?.recipients[0]?.state).toBe("sent");
  await page.reload();
  await page.getByText("Your order").waitFor();
  await page.getByText(`${home}: sent`).waitFor();
  await expectAccessible(page);
  await page.getByText("What you can do").click();
  await page.getByRole("button", { name: "Block this sender at this alias" }).click();
  await expectAccessible(page);
  await page.getByLabel("Discard it: the sender is not told").check();
  await page.getByRole("button", { name: "Block", exact: true }).click();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  await page.locator(".notice.good").getByText(`${SENDER} is blocked`).waitFor();
  expect(await focused(page)).toBe("Block this sender at this alias");
  expect(await world.send(SENDER, alias.alias_email, { subject: "Another" })).toMatch(/^250/);
  await expect.poll(async () => (await logged()).length).toBe(2);
  await page.reload();
  await page.getByText("Not forwarded: You have blocked this sender at this alias.").waitFor();
  await page.getByText("What you can do").first().click();
  await page.getByRole("button", { name: "Block this sender everywhere" }).first().click();
  await page.getByText("can find out that they belong to one person").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Block", exact: true }).click();
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  const { data } = await person.api.listBlockedSenders();
  expect(data.blocked_senders.map(({ sender }) => sender)).toEqual([SENDER]);
});

test("instead of being blocked everywhere, a sender's mail can be discarded at the alias", async () => {
  const { person, page, alias, logged } = await atAlias();
  await world.send(SENDER, alias.alias_email);
  await expect.poll(async () => (await logged()).length).toBe(1);
  await page.reload();
  await page.getByText("What you can do").click();
  await page.getByRole("button", { name: "Block this sender everywhere" }).click();
  await page.getByRole("button", { name: "Discard it at this alias" }).click();
  await page.locator(".notice.good").getByText(`${SENDER} is blocked`).waitFor();
  const { data } = await person.api.listContacts(alias.alias_id);
  expect(data.contacts.map(({ email, blocking }) => [email, blocking])).toEqual([[SENDER, "discard"]]);
  expect((await person.api.listBlockedSenders()).data.blocked_senders).toEqual([]);
});

test("what only a newer service knows is shown in its own words", async () => {
  const { page, alias, logged } = await atAlias();
  await world.send(SENDER, alias.alias_email);
  await expect.poll(async () => (await logged()).length).toBe(1);
  const [message] = await logged();
  const copy = { email: "me@home.example", state: "parked", datetime_changed: Date.now() };
  await page.route("**/messages?*", (route) =>
    route.fulfill({
      contentType: "application/json",
      headers: { "access-control-allow-origin": world.app },
      body: JSON.stringify({
        messages: [
          {
            ...message,
            message_id: "1",
            recipients: [{ ...copy, reason: { code: "x", message: "It rains." } }],
          },
          {
            ...message,
            message_id: "2",
            recipients: [],
            blocked: { code: "y", message: "It snows." },
            count: 3,
          },
          { ...message, message_id: "3", contact: null },
          { ...message, message_id: "4", contact: { email: "late@books.example", contact_id: null } },
        ],
        next_cursor: null,
      }),
    }),
  );
  await page.reload();
  await page.getByText("me@home.example: parked (It rains.)").waitFor();
  await page.getByText("Not forwarded: It snows.").waitFor();
  await page.getByText("3 messages like this within a minute").waitFor();
  await page.getByText("From an unknown sender").waitFor();
  const actions = page.getByText("What you can do");
  // Nobody is known to be blocked.
  expect(await actions.count()).toBe(3);
  await actions.last().click();
  await page.getByText("it cannot be blocked here").waitFor();
  const buttons = await page.locator("li", { hasText: "late@books.example" }).locator("button:visible").all();
  expect(await Promise.all(buttons.map((each) => each.textContent()))).toEqual([
    "Block this sender everywhere",
  ]);
});

test("a message that waits is shown as it changes; one that failed is sent again", async () => {
  const { page, alias, home, logged } = await atAlias();
  world.gone.add(home);
  await world.send(SENDER, alias.alias_email, { subject: "Lost" });
  await expect.poll(async () => (await logged())[0]?.recipients[0]?.state).toBe("bounced");
  world.gone.delete(home);
  await page.reload();
  await page.getByText(`${home}: refused by the mailbox (there is no such mailbox)`).waitFor();
  await expectAccessible(page);
  await page.getByText("What you can do").click();
  await page.getByRole("button", { name: "Send again" }).click();
  // No reload: as long as it waits, it is read again.
  await page.getByRole("listitem").getByText("It will be sent again in some seconds").waitFor();
  await page.getByText(`${home}: sent`).waitFor();
  // The button has gone, and the row has what it had.
  await expect.poll(() => page.getByRole("button", { name: "Send again" }).count()).toBe(0);
  expect(await focused(page)).toMatch(/^From .*Lost/);
});

test.each([
  ["message_not_kept", 409, "The content of this message is not kept any more"],
  ["alias_inactive", 409, "This alias is switched off"],
  ["message_not_found", 404, "This message is older than 30 days"],
])("a message that cannot be sent again says why: %s", async (code, status, text) => {
  const { page, alias, home, logged } = await atAlias();
  world.gone.add(home);
  await world.send(SENDER, alias.alias_email);
  await expect.poll(async () => (await logged())[0]?.recipients[0]?.state).toBe("bounced");
  await page.route("**/resend", (route) => route.fulfill(problemResponse(world, { status, code })));
  await page.reload();
  await page.getByText("What you can do").click();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("alert").getByText(text).waitFor();
});

test("hostile mail is text, and does not break the page", async () => {
  const { person, page, alias, logged } = await atAlias({ viewport: { width: 360, height: 740 } });
  const subject = `<img src=x onerror=alert(1)> \u202egnp.exe ${"x".repeat(9_000)}`;
  await world.send(`"<script>alert(1)</script>"@books.example`, alias.alias_email, { subject });
  await world.send(`${"l".repeat(60)}@${"long.".repeat(30)}example`, alias.alias_email, { subject });
  await expect.poll(async () => (await logged()).length).toBeGreaterThan(0);
  await page.reload();
  await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
  await expectFits(page);
  await page.getByRole("link", { name: "Contacts" }).click();
  await page.getByText("Whoever writes to this alias").waitFor();
  await expectFits(page);
  expect((await person.api.getAlias(alias.alias_id)).data.emails_sent).toBeGreaterThan(0);
});

test("contacts: somebody new is written to, found and blocked", async () => {
  const { person, page, alias } = await atAlias();
  await page.getByRole("link", { name: "Contacts" }).click();
  await page.getByText("No contact yet").waitFor();
  await expectAccessible(page);
  // The tabs are below much else: choosing one does not leave them.
  const tab = page.getByRole("link", { name: "Contacts" });
  await page.setViewportSize({ width: 360, height: 400 });
  await tab.click();
  await tab.click();
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);
  await page.getByLabel("Their email address").fill("neither@nor@");
  await page.getByRole("button", { name: "Get a reply address" }).click();
  await page.locator(".field").getByText("This is not an email address").waitFor();
  expect(await page.getByLabel("Their email address").inputValue()).toBe("neither@nor@");
  await expectAccessible(page);
  await page.getByLabel("Their email address").fill("friend@friends.example");
  await page.getByRole("button", { name: "Get a reply address" }).click();
  await page.locator("main").getByText("Send your message to").waitFor();
  const [contact] = (await person.api.listContacts(alias.alias_id)).data.contacts;
  await page.getByRole("listitem").getByText("friend@friends.example", { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Mail from friend@friends.example").selectOption("is refused");
  await expect
    .poll(async () => (await person.api.getContact(alias.alias_id, contact?.contact_id ?? "")).data.blocking)
    .toBe("reject");
  // One key after the other: the last one counts.
  await page.getByLabel("Mail from friend@friends.example").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect
    .poll(async () => (await person.api.getContact(alias.alias_id, contact?.contact_id ?? "")).data.blocking)
    .toBe("none");
  await expect.poll(() => announced(page)).toBe("Mail from friend@friends.example is not blocked here");
  expect(await page.getByLabel("Mail from friend@friends.example").inputValue()).toBe("none");
  await page.getByLabel("Find an address").fill("nobody");
  await page.keyboard.press("Enter");
  await page.locator(".field").getByText("This is not an email address").waitFor();
  await page.getByLabel("Find an address").fill("nobody@friends.example");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByText("No contact of this alias has this address.").waitFor();
  expect(page.url()).toBe(`${world.app}/aliases/${alias.alias_id}/contacts`);
});

test("rules say whose mail they refuse, keep what was typed, and an alias that has ended says so", async () => {
  const { person, page, alias, logged } = await atAlias();
  const id = alias.alias_id;
  await world.send(SENDER, alias.alias_email);
  // Somebody whom no rule refuses: they were added in order to write to them.
  await world.send("pen@pals.example", alias.alias_email);
  await expect.poll(async () => (await logged()).length).toBe(2);
  await person.api.createContact(id, "pen@pals.example");
  await page.getByRole("link", { name: "Rules" }).click();
  await page.getByLabel("Only people I have written to").check();
  await page.getByText(`Of those who wrote to this alias last, that is ${SENDER}.`).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Only these senders").check();
  await page.getByLabel("Senders", { exact: true }).fill("books.example\nfriend@friends.example");
  await page.getByText("Nobody who wrote to this alias last is among them.").waitFor();
  await page.getByLabel("Messages left").fill("1");

  // Somebody else changes them meanwhile.
  await person.api.updateAliasRules(id, { messages_left: 9 });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Meanwhile this was changed elsewhere").waitFor();
  expect(await page.getByLabel("Messages left").inputValue()).toBe("1");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved").first().waitFor();
  expect((await person.api.getAliasRules(id)).data).toEqual({
    accept_from: "listed",
    senders: ["books.example", "friend@friends.example"],
    active_until: null,
    messages_left: 1,
  });

  expect(await world.send("stranger@elsewhere.example", alias.alias_email)).toMatch(/^550/);
  expect(await world.send(SENDER, alias.alias_email)).toMatch(/^250/);
  await expect.poll(async () => (await person.api.getAlias(id)).data.active).toBe(false);
  await page.reload();
  await page.getByText("It has received as many messages as it should.").waitFor();
  await expectAccessible(page);
  await page.getByRole("switch").click();
  await expect.poll(async () => (await person.api.getAliasRules(id)).data.messages_left).toBe(null);
  await page.getByText("On: mail is forwarded").waitFor();
  await expect.poll(() => page.getByText("This alias has ended").count()).toBe(0);
});

test("rules that cannot be are explained where they were typed; they can be dropped and removed", async () => {
  const { person, page, alias } = await atAlias();
  const id = alias.alias_id;
  await person.api.updateAliasRules(id, { accept_from: "listed", senders: ["books.example"] });
  await page.getByRole("link", { name: "Rules" }).click();
  const senders = page.getByLabel("Senders", { exact: true });
  const save = page.getByRole("button", { name: "Save", exact: true });
  await senders.fill("books.example\nneither@nor@\nfriends.example");
  await page.getByText("When you save this, mail from everybody else is refused.").waitFor();
  // Nobody has written yet.
  expect(await page.getByText("wrote to this alias last").count()).toBe(0);
  await save.click();
  await page.locator(".field").getByText("Neither an address nor a domain: neither@nor@").waitFor();
  expect(await announced(page)).toBe("Neither an address nor a domain: neither@nor@");
  await expectAccessible(page);
  await senders.fill("books.example\nfriends.example");
  await expect
    .poll(() => page.locator(".field").getByText("Neither an address nor a domain").count())
    .toBe(0);
  await senders.fill(Array.from({ length: 101 }, (_, n) => `d${n}.example`).join("\n"));
  await page.locator(".field").getByText("There can be 100 senders at most.").waitFor();
  await page.getByLabel("Ends at").fill("2020-01-01T00:00");
  await page.locator(".field").getByText("This has passed already").waitFor();
  await save.click();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await senders.inputValue()).toBe("books.example");
  expect(
    await page.getByLabel("Only these senders").evaluate((each) => each === document.activeElement),
  ).toBe(true);
  expect((await person.api.getAliasRules(id)).data.senders).toEqual(["books.example"]);

  await page.getByRole("button", { name: "Remove all rules" }).click();
  expect(await page.getByLabel("Everybody").isChecked()).toBe(true);
  await save.click();
  await page.locator(".notice.good").getByText("Saved").waitFor();
  expect((await person.api.getAliasRules(id)).data).toEqual({
    accept_from: "everybody",
    senders: [],
    active_until: null,
    messages_left: null,
  });
});

test("an alias whose end has come says so, although it is switched on", async () => {
  const { person, page, alias } = await atAlias();
  const ended = Date.now() + 1_500;
  await person.api.updateAliasRules(alias.alias_id, { active_until: ended });
  await expect.poll(() => Date.now(), { timeout: 10_000 }).toBeGreaterThan(ended);
  await page.getByRole("link", { name: "Rules" }).click();
  await page.getByText("so mail is refused although the alias is switched on").waitFor();
  await page.getByLabel("Ends at").fill("2099-01-01T00:00");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(() => page.getByText("This alias has ended").count()).toBe(0);
  expect(await world.send(SENDER, alias.alias_email)).toMatch(/^250/);
});

test("messages, contacts and rules of a deleted alias are only shown", async () => {
  const { person, page, alias, home, logged } = await atAlias();
  const id = alias.alias_id;
  world.gone.add(home);
  await world.send(SENDER, alias.alias_email);
  await expect.poll(async () => (await logged())[0]?.recipients[0]?.state).toBe("bounced");
  const [contact] = (await person.api.listContacts(id)).data.contacts;
  await person.api.updateContact(id, contact?.contact_id ?? "", { blocking: "reject" });
  await person.api.updateAliasRules(id, { accept_from: "listed", senders: ["books.example"] });
  await person.api.deleteAlias(id);
  await page.reload();
  await page.getByText("What you can do").click();
  await page.getByRole("button", { name: "Block this sender everywhere" }).waitFor();
  expect(await page.getByRole("button", { name: /Send again|at this alias/ }).count()).toBe(0);
  await page.getByRole("link", { name: "Contacts" }).click();
  await page.getByText(`Mail from ${SENDER} is refused`).waitFor();
  await page.getByText("These were the contacts of this alias").waitFor();
  await expectAccessible(page);
  expect(await page.getByRole("combobox").count()).toBe(0);
  expect(await page.getByLabel("Their email address").count()).toBe(0);
  await page.getByRole("link", { name: "Rules" }).click();
  await page.getByText("books.example", { exact: true }).waitFor();
  await expectAccessible(page);
  expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
});

test.each(FAILURES)("what fails with %s says so, and can be tried again", async (failure, text) => {
  const { person, page, alias, home, logged } = await atAlias();
  world.gone.add(home);
  await world.send(SENDER, alias.alias_email);
  await expect.poll(async () => (await logged())[0]?.recipients[0]?.state).toBe("bounced");
  await page.reload();
  await page.getByText("What you can do").click();
  await failOnce(world, page, "**/resend", failure);
  await page.getByRole("button", { name: "Send again" }).dblclick();
  await page.getByRole("alert").getByText(text).waitFor();
  for (const [name, addresses] of [
    ["Block this sender at this alias", "**/contacts/*"],
    ["Block this sender everywhere", "**/blocked-senders"],
  ] as const) {
    await failOnce(world, page, addresses, failure);
    await page.getByRole("button", { name }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Block", exact: true }).dblclick();
    await dialog.getByRole("alert").getByText(text).waitFor();
    await dialog.getByRole("button", { name: "Block", exact: true }).click();
    await expect.poll(() => dialog.count()).toBe(0);
  }

  await page.getByRole("link", { name: "Contacts" }).click();
  const field = page.getByLabel("Their email address");
  await failOnce(world, page, "**/contacts", failure);
  await field.fill("friend@friends.example");
  await page.getByRole("button", { name: "Get a reply address" }).dblclick();
  await page.getByRole("alert").getByText(text).waitFor();
  await page.getByRole("link", { name: "Rules" }).click();
  await page.goBack();
  expect(await field.inputValue()).toBe("friend@friends.example");
  await page.getByRole("button", { name: "Get a reply address" }).click();
  await page.locator(".notice.good").waitFor();
  const blocking = page.getByLabel(`Mail from ${SENDER}`);
  await failOnce(world, page, "**/contacts/*", failure);
  await blocking.selectOption("discard");
  await page.locator("li").getByRole("alert").getByText(text).waitFor();
  expect(await blocking.inputValue()).toBe("reject");

  await page.getByRole("link", { name: "Rules" }).click();
  await failOnce(world, page, "**/rules", failure);
  await page.getByLabel("Messages left").fill("5");
  await page.getByRole("button", { name: "Save", exact: true }).dblclick();
  await page.getByRole("alert").getByText(text).waitFor();
  expect(await page.getByLabel("Messages left").inputValue()).toBe("5");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".notice.good").getByText("Saved").waitFor();
  expect((await person.api.getAliasRules(alias.alias_id)).data.messages_left).toBe(5);
});
