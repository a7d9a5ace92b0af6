import { expect, test } from "vitest";
import {
  announced,
  closeBrowserAtEnd,
  expectAccessible,
  expectFits,
  expectFitsEnlarged,
  focused,
  openApp,
  signIn,
} from "./support/browser.ts";
import { FAILURES, failOnce } from "./support/failures.ts";
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();

/** Nobody is there. */
const URL_OF_NOBODY = "https://nobody.webhooks.invalid/postern";

/** Somebody who looks at their webhooks. */
const atWebhooks = async (options: Parameters<typeof openApp>[2] = {}, urls: readonly string[] = []) => {
  const person = await world.newPerson();
  for (const url of urls) await person.api.createWebhook({ url, events: ["alias.created"] });
  const page = await openApp(world, "/webhooks", options);
  await signIn(page, person);
  const rows = page.locator(".rows li");
  const stored = async () => (await person.api.listWebhooks()).data.webhooks;
  const open = async () => {
    await page.getByRole("button", { name: "New webhook" }).click();
    return page.getByRole("dialog", { name: "New webhook" });
  };
  return { person, page, rows, stored, open };
};

test("the secret of a new webhook is shown once, and kept nowhere", async () => {
  const { page, rows, stored, open } = await atWebhooks({
    bypassCSP: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.getByRole("heading", { name: "You have no webhook yet" }).waitFor();
  await expectAccessible(page);
  const dialog = await open();
  await dialog.getByLabel("Web address").fill("http://127.0.0.1/");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("Choose at least one").waitFor();
  await dialog.getByLabel("an alias is changed").check();
  await dialog.getByLabel("a message is refused").check();
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("This cannot be used. It must begin with https://").waitFor();
  await expectAccessible(page);
  // What was typed is there when the dialog is opened once more.
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("New webhook");
  await open();
  expect(await dialog.getByLabel("Web address").inputValue()).toBe("http://127.0.0.1/");
  expect(await dialog.getByLabel("a message is refused").isChecked()).toBe(true);
  await dialog.getByLabel("Web address").fill(URL_OF_NOBODY);
  await dialog.getByRole("button", { name: "Create" }).dblclick();

  const shown = page.getByRole("dialog", { name: "The secret of the new webhook" });
  await shown.getByText("It is shown only now, and never again").waitFor();
  const secret = (await shown.locator("code").textContent()) ?? "";
  expect(secret).toMatch(/^whsec_.{40}/);
  await expectAccessible(page);
  await shown.getByRole("button", { name: "Copy the secret" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await shown.getByRole("button", { name: "I have stored it" }).click();
  await expect.poll(() => focused(page)).toBe("New webhook");
  await rows.getByText("Told when an alias is changed and a message is refused at an alias").waitFor();
  expect(await stored()).toHaveLength(1);
  await page.goto(`${world.app}/recipients`);
  await page.goBack();
  await rows.locator("strong").getByText(URL_OF_NOBODY).waitFor();
  expect(await page.content()).not.toContain("whsec_");
  const kept = await page.evaluate(() => JSON.stringify([history.state, Object.entries(sessionStorage)]));
  expect(kept).not.toContain("whsec_");
  await open();
  expect(await dialog.getByLabel("Web address").inputValue()).toBe("");
});

test("a webhook is tested, switched off and on, and deleted", async () => {
  const { page, rows, stored } = await atWebhooks({ bypassCSP: true }, [URL_OF_NOBODY]);
  const test = rows.getByRole("button", { name: `Test ${URL_OF_NOBODY}` });
  await test.click();
  await rows.getByRole("alert").getByText("The test did not arrive:").waitFor();
  await expectAccessible(page);
  await page.route("**/test", (route) =>
    route.request().method() === "OPTIONS"
      ? route.continue()
      : route.fulfill({
          contentType: "application/json",
          headers: { "access-control-allow-origin": world.app },
          body: JSON.stringify({ delivered: true, reason: null }),
        }),
  );
  await test.click();
  await rows.getByText("The test has arrived").waitFor();
  const toggle = rows.getByRole("switch");
  await toggle.click();
  await rows.getByText("You have switched it off").waitFor();
  await expect.poll(async () => (await stored())[0]?.active).toBe(false);
  await expectAccessible(page);
  await expect.poll(() => announced(page)).toBe(`${URL_OF_NOBODY} is switched off`);
  await toggle.click();
  await expect.poll(async () => (await stored())[0]?.active).toBe(true);
  await page.getByRole("button", { name: `Delete ${URL_OF_NOBODY}` }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "You have no webhook yet" }).waitFor();
  await expect.poll(() => focused(page)).toBe("Webhooks");
  expect(await stored()).toEqual([]);
});

test("why the service has switched a webhook off is said in words, also if this app does not know the reason", async () => {
  const { page, rows } = await atWebhooks({}, [`${URL_OF_NOBODY}/a`, `${URL_OF_NOBODY}/b`]);
  await rows.first().waitFor();
  await page.route("**/v1/webhooks", async (route) => {
    const response = await route.fetch();
    const { webhooks } = await response.json();
    for (const [n, reason] of ["failing", "moved_to_the_moon"].entries())
      Object.assign(webhooks[n], { active: false, off_reason: reason, events: ["alias.renamed"] });
    await route.fulfill({ response, json: { webhooks } });
  });
  await page.reload();
  await rows.getByText("it could not be reached for three days").waitFor();
  await rows.getByText("moved_to_the_moon").waitFor();
  await rows.first().getByText("Told when alias.renamed").waitFor();
});

test("two tabs: what somebody else has changed is shown beside what was typed, and neither is lost", async () => {
  const { person, page, rows, stored } = await atWebhooks({ bypassCSP: true }, [URL_OF_NOBODY]);
  const [{ webhook_id } = { webhook_id: "" }] = await stored();
  await rows.getByRole("button", { name: "Change" }).click();
  const dialog = page.getByRole("dialog", { name: "Change the webhook" });
  await dialog.getByLabel("Web address").fill(`${URL_OF_NOBODY}/mine`);
  await dialog.getByLabel("an alias is deleted").check();
  await person.api.updateWebhook(webhook_id, { url: `${URL_OF_NOBODY}/theirs` });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").getByText("Somebody has changed this meanwhile").waitFor();
  await dialog.locator(".notice.info").getByText(`${URL_OF_NOBODY}/theirs`).waitFor();
  expect(await dialog.getByLabel("Web address").inputValue()).toBe(`${URL_OF_NOBODY}/mine`);
  expect((await stored())[0]?.url).toBe(`${URL_OF_NOBODY}/theirs`);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await rows.getByText("Told when an alias is created and an alias is deleted").waitFor();
  expect(await stored()).toMatchObject([
    { url: `${URL_OF_NOBODY}/mine`, events: ["alias.created", "alias.deleted"] },
  ]);

  // The list has no version: a switch reads it first.
  await person.api.updateWebhook(webhook_id, { url: `${URL_OF_NOBODY}/last` });
  await rows.getByRole("switch").click();
  await rows.locator("strong").getByText(`${URL_OF_NOBODY}/last`).waitFor();
  expect(await stored()).toMatchObject([{ url: `${URL_OF_NOBODY}/last`, active: false }]);
});

test.each(FAILURES)(
  "creating that fails with %s says so, and what was typed makes one webhook",
  async (failure, text) => {
    const { page, stored, open } = await atWebhooks();
    const failed = await failOnce(world, page, "**/v1/webhooks", failure);
    const dialog = await open();
    await dialog.getByLabel("Web address").fill(URL_OF_NOBODY);
    await dialog.getByLabel("an alias is changed").check();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("alert").getByText(text).waitFor();
    expect(await dialog.getByLabel("Web address").inputValue()).toBe(URL_OF_NOBODY);
    expect(failed()).toBe(1);
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("dialog", { name: "The secret" }).waitFor();
    expect(await stored()).toHaveLength(1);
  },
);

test("after an answer was lost, creating it again gives the same webhook and its secret; another one is another", async () => {
  const { page, stored, open, rows } = await atWebhooks();
  const losing = async (url: string) => {
    await page.route("**/v1/webhooks", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    });
    const dialog = await open();
    await dialog.getByLabel("Web address").fill(url);
    await dialog.getByLabel("an alias is changed").check();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("alert").getByText("There is no connection").waitFor();
    await page.unrouteAll();
    return dialog;
  };
  const dialog = await losing(URL_OF_NOBODY);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("whsec_").waitFor();
  expect(await stored()).toHaveLength(1);
  await page.keyboard.press("Escape");

  await losing(`${URL_OF_NOBODY}/second`);
  await dialog.getByLabel("Web address").fill(`${URL_OF_NOBODY}/third`);
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByRole("alert").getByText("Something else was created with this form already").waitFor();
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("whsec_").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => rows.count()).toBe(3);
});

test("a change that fails is shown as it was", async () => {
  const { page, rows, stored } = await atWebhooks({}, [URL_OF_NOBODY]);
  const addresses = "**/v1/webhooks/**";
  await failOnce(world, page, addresses, "unavailable");
  await rows.getByRole("switch").click();
  await rows.getByRole("alert").getByText("The service cannot do this").waitFor();
  await expect.poll(() => rows.getByRole("switch").getAttribute("aria-checked")).toBe("true");
  await page.unrouteAll();
  await failOnce(world, page, addresses, "too_many_creations");
  await rows.getByRole("button", { name: "Test" }).click();
  await rows.getByText("That was a lot of new things at once").waitFor();
  await page.unrouteAll();
  await failOnce(world, page, addresses, "a cut connection");
  await page.getByRole("button", { name: `Delete ${URL_OF_NOBODY}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByRole("alert").getByText("There is no connection").waitFor();
  expect(await stored()).toHaveLength(1);
});

test("a service that sends none says so", async () => {
  const without = await startWorld({ POSTERN_WEBHOOKS: "false" });
  const person = await without.newPerson();
  const page = await openApp(without, "/webhooks", { bypassCSP: true });
  await signIn(page, person);
  await page.getByText("This service sends no webhooks").waitFor();
  expect(await page.getByRole("link", { name: "Webhooks" }).count()).toBe(0);
  await expectAccessible(page);
});

test("long addresses fit", async () => {
  const screen = { width: 320, height: 700 };
  const { page, rows, open } = await atWebhooks({ viewport: screen, screen }, [
    `https://${"long.".repeat(40)}example.com/${"path".repeat(300)}`,
  ]);
  await rows.first().waitFor();
  await expectFits(page);
  await open();
  await expectFitsEnlarged(page);
});
