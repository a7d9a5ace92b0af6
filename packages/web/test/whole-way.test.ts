import { until } from "@postern/test-support/until";
import { expect, test } from "vitest";
import { closeBrowserAtEnd, openApp, signIn } from "./support/browser.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();

test("the whole way, with nothing but the app and the mailboxes: from the first sign-in to signing out", async () => {
  const { email, password } = await world.newPerson();
  const [home, work] = ["home@whole.example", "work@whole.example"];
  const page = await openApp(world);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const goTo = async (name: string) => {
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
  };
  /** What the owner of a mailbox does with the link that is sent there. */
  const confirm = async (address: string) => {
    const link = await until("a link", () => {
      const sent = world.mailbox.messages.findLast(({ to }) => to?.some((each) => each.address === address));
      return /^http:\S+$/m.exec(sent?.text ?? "")?.[0] ?? null;
    });
    const owner = await page.context().browser()?.newPage();
    await owner?.goto(link);
    await owner?.getByRole("button", { name: "Confirm this address" }).click();
    await owner?.getByRole("heading", { name: /confirmed/ }).waitFor();
    await owner?.close();
  };

  await page.getByLabel("Email address or user name").fill(email);
  await page.getByLabel("Password").fill("Wrong-password-1");
  await press("Sign in");
  await page.getByText("The name or the password is wrong.").waitFor();
  await signIn(page, { email, password });

  await page.getByRole("link", { name: "Add a recipient" }).click();
  for (const address of [home, work]) {
    await page.getByLabel("Address of a mailbox of yours").fill(address);
    await press("Add the recipient");
    await page
      .locator(".rows li")
      .filter({ hasText: address })
      .getByText("Waiting for confirmation")
      .waitFor();
    await confirm(address);
  }
  // It is seen without loading the page again.
  await expect.poll(() => page.locator(".rows").getByText("Confirmed", { exact: true }).count()).toBe(2);

  await goTo("Aliases");
  await page.getByRole("link", { name: "New alias" }).first().click();
  await page.getByLabel("My own").check();
  await page.getByRole("textbox", { name: "Before the @" }).fill("whole-way");
  await page.getByRole("button", { name: work }).click();
  await press("Create the alias");
  const alias = "whole-way@alias.example.com";
  await page.getByRole("heading", { name: alias, level: 1 }).waitFor();

  await press("Change the recipients");
  await press(`Move ${work} up`);
  await press("Save");
  await page.getByText("Saved").first().waitFor();

  world.gone.add(home);
  expect(await world.send("shop@books.example", alias, { subject: "Your order" })).toMatch(/^250/);
  await expect
    .poll(async () => {
      await page.reload();
      await page.getByRole("heading", { name: alias, level: 1 }).waitFor();
      return page.locator(".message").count();
    })
    .toBe(1);
  await expect
    .poll(async () => {
      await page.reload();
      await page.locator(".message").waitFor();
      return page.getByText(`${home}: refused by the mailbox`).count();
    })
    .toBe(1);
  await page.getByText(`${work}: sent`).waitFor();
  world.gone.delete(home);
  await page.getByText("What you can do").click();
  await press("Send again");
  await page.getByText(`${home}: sent`).waitFor();

  await press("Block this sender everywhere");
  await press("Block");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(await world.send("shop@books.example", alias)).toMatch(/^550/);

  await page
    .getByRole("navigation", { name: "Parts of this alias" })
    .getByRole("link", { name: "Rules" })
    .click();
  await page.getByLabel("Only people I have written to").check();
  await press("Save");
  await page.getByText("Saved").first().waitFor();
  expect(await world.send("stranger@elsewhere.example", alias)).toMatch(/^550/);

  await goTo("Webhooks");
  await press("New webhook");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").first().fill("https://hooks.whole.example/postern");
  await dialog.getByRole("checkbox").first().check();
  await dialog.locator("button.main").click();
  await dialog.getByText("never again").waitFor();

  await page.reload();
  await page.locator("bdi").getByText("https://hooks.whole.example/postern").waitFor();
  await goTo("Settings");
  await press("Sign out");
  await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
});
