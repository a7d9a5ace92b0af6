import { expect, test } from "vitest";
import { closeBrowserAtEnd, expectAccessible, expectFits, openApp, signIn } from "./support/browser.ts";
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
  await page.getByText(`${home}: sent`).waitFor();
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
  await page.route("**/resend", (route) =>
    route.fulfill({
      status,
      contentType: "application/problem+json",
      headers: { "access-control-allow-origin": world.app },
      body: JSON.stringify({ status, code, title: code, detail: "" }),
    }),
  );
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
  await page.getByLabel("Their email address").fill("not an address");
  await page.getByRole("button", { name: "Get a reply address" }).click();
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
  await page.getByLabel("Find an address").fill("nobody@friends.example");
  await page.keyboard.press("Enter");
  await page.getByText("No contact of this alias has this address.").waitFor();
  expect(page.url()).toBe(`${world.app}/aliases/${alias.alias_id}/contacts`);
});

test("rules say whose mail they refuse, keep what was typed, and an alias that has ended says so", async () => {
  const { person, page, alias, logged } = await atAlias();
  const id = alias.alias_id;
  await world.send(SENDER, alias.alias_email);
  await expect.poll(async () => (await logged()).length).toBe(1);
  await page.getByRole("link", { name: "Rules" }).click();
  await page.getByLabel("Only people I have written to").check();
  await page.getByText(`their mail would be refused: ${SENDER}`).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Only these senders").check();
  await page.getByLabel("Senders", { exact: true }).fill("books.example\nfriend@friends.example");
  await page.getByText("Nobody who has written to this alias lately would be refused.").waitFor();
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
