import { runsWhole } from "@postern/test-support/runs-whole";
import { expect, test } from "vitest";
import {
  announced,
  closeBrowserAtEnd,
  expectAccessible,
  expectFitsEnlarged,
  openApp,
  signIn,
} from "./support/browser.ts";
import { problemResponse } from "./support/failures.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();

test("somebody new is led to their first alias, one step at a time", async () => {
  const person = await world.newPerson();
  const page = await openApp(world, "/", { bypassCSP: true });
  await signIn(page, person);
  await page.getByRole("heading", { name: "First, say where your mail is to go" }).waitFor();
  await expectAccessible(page);
  const { data: recipient } = await person.api.addRecipient("me@first.example");
  await page.reload();
  await page.getByText("A link was sent to me@first.example").waitFor();
  await expectAccessible(page);
  await person.confirm("me@first.example");
  await page.reload();
  await page.getByRole("heading", { name: "You have no alias yet" }).waitFor();
  await expectAccessible(page);
  await person.api.createAlias({ recipient_ids: [recipient.recipient_id] });
  await page.reload();
  await page.getByText("to me@first.example").waitFor();
  await expectAccessible(page);
  await page.getByLabel("Search").fill("nothing that there is");
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  await expectAccessible(page);
});

test("a search and filters are in the address; going back and loading again keep them", async () => {
  const person = await world.newPerson();
  const shop = await person.newAlias("Shop");
  const parcel = await person.newAlias("Parcel");
  await person.api.updateAlias(parcel.alias_id, { active: false });
  const gone = await person.newAlias("Gone");
  await person.api.deleteAlias(gone.alias_id);
  const page = await openApp(world);
  await signIn(page, person);
  const rows = page.locator(".rows li");
  const shown = async () => (await rows.getByRole("link").allTextContents()).sort();
  await expect.poll(shown).toEqual([parcel.alias_email, shop.alias_email].sort());
  await page.getByLabel("Search").pressSequentially("shop");
  await expect.poll(shown).toEqual([shop.alias_email]);
  expect(new URL(page.url()).search).toBe("?q=shop");
  await page.getByRole("link", { name: shop.alias_email }).click();
  await page.getByRole("heading", { name: shop.alias_email, level: 1 }).waitFor();
  await page.goBack();
  await expect.poll(shown).toEqual([shop.alias_email]);
  expect(await page.getByLabel("Search").inputValue()).toBe("shop");
  await page.reload();
  await expect.poll(shown).toEqual([shop.alias_email]);
  await page.getByLabel("Search").fill("");
  await page.getByLabel("Show").selectOption("Off");
  await expect.poll(shown).toEqual([parcel.alias_email]);
  await page.getByLabel("Show").selectOption("Deleted");
  await expect.poll(shown).toEqual([gone.alias_email]);
});

test("a switch changes at once, and goes back if that is refused", async () => {
  const person = await world.newPerson();
  const { alias_id, alias_email } = await person.newAlias();
  const page = await openApp(world);
  await signIn(page, person);
  const toggle = page.getByRole("switch", { name: `${alias_email} forwards mail` });
  await toggle.click();
  await expect.poll(() => announced(page)).toBe(`${alias_email} is switched off`);
  expect((await person.api.getAlias(alias_id)).data.active).toBe(false);

  await page.route("**/v1/aliases/*", (route) =>
    route.fulfill(problemResponse(world, { status: 503, code: "unavailable" })),
  );
  await toggle.click();
  await page.getByRole("alert").getByText("The service cannot do this at the moment").waitFor();
  expect(await toggle.getAttribute("aria-checked")).toBe("false");
});

test("two tabs: what one changes is not overwritten by the other's switch", async () => {
  const person = await world.newPerson();
  const { alias_id, alias_email } = await person.newAlias("Before");
  const page = await openApp(world);
  await signIn(page, person);
  await page.getByText("Before").waitFor();
  await person.api.updateAlias(alias_id, { description: "After" });
  await page.getByRole("switch", { name: `${alias_email} forwards mail` }).click();
  await page.getByText("After").waitFor();
  expect((await person.api.getAlias(alias_id)).data).toMatchObject({ description: "After", active: false });
});

test("a long list is read as somebody scrolls, and few of its rows are in the document", async () => {
  const count = runsWhole(import.meta.url) ? 10_000 : 400;
  const person = await world.newPerson();
  const recipient = await person.newRecipient("everything@home.example");
  const numbers = Array.from({ length: count }, (_, n) => n);
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let n = numbers.pop(); n !== undefined; n = numbers.pop())
        await person.api.createAlias({ description: `Number ${n}`, recipient_ids: [recipient] });
    }),
  );
  const page = await openApp(world);
  await signIn(page, person);
  const rows = page.locator(".rows li");
  const seen = new Set<string>();
  let most = 0;
  await expect
    .poll(
      async () => {
        for (const text of await rows.locator(".clamp").allTextContents()) seen.add(text);
        most = Math.max(most, await rows.count());
        await page.mouse.wheel(0, 2_000);
        return seen.size;
      },
      { interval: 20 },
    )
    .toBe(count);
  expect(most).toBeLessThanOrEqual(300);
});

test.each([320, 360, 1280])(
  "at %i pixels, nothing is wider than the screen, also with doubled text and long names",
  async (width) => {
    const person = await world.newPerson();
    const recipient = await person.newRecipient(`${"r".repeat(60)}@${"long.".repeat(30)}at${width}.example`);
    const description = `<img src=x onerror=alert(1)> \u202edesrever ${"🦊".repeat(100)} ${"x".repeat(200)}`;
    const long = `${"a".repeat(40)}-${"b".repeat(19)}${width}@alias.example.com`;
    await person.api.createAlias({ alias_email: long, description, recipient_ids: [recipient] });
    const page = await openApp(world, "/", {
      viewport: { width, height: 740 },
      screen: { width, height: 740 },
    });
    await signIn(page, person);
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    await expectFitsEnlarged(page);
  },
);
