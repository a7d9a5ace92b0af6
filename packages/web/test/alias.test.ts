import type { Page } from "playwright-core";
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
import { startWorld } from "./support/world.ts";

closeBrowserAtEnd();
const world = await startWorld();

const order = (page: Page) => page.locator(".order li .grow").allTextContents();

/** Somebody with an alias that forwards to the first two of three recipients, who looks at it. */
const atAlias = async (options: Parameters<typeof openApp>[2] = {}) => {
  const person = await world.newPerson();
  const name = person.email.split("@")[0];
  const addresses = ["a", "b", "c"].map((each) => `${each}-${name}@home.example`);
  const ids: string[] = [];
  for (const each of addresses) ids.push(await person.newRecipient(each));
  const [a = "", b = "", c = ""] = addresses;
  const [idA = "", idB = "", idC = ""] = ids;
  const { data } = await person.api.createAlias({ description: "Shop", recipient_ids: [idA, idB] });
  const page = await openApp(world, `/aliases/${data.alias_id}`, options);
  await signIn(page, person);
  await page.getByRole("heading", { name: data.alias_email }).waitFor();
  const forwardsTo = async () => (await person.api.getAlias(data.alias_id)).data.destination_emails;
  return { person, page, alias: data, a, b, c, idA, idB, idC, forwardsTo };
};

const edit = async (page: Page) => {
  await page.getByRole("button", { name: "Change the recipients" }).click();
  await page.locator(".order li").first().waitFor();
};
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

test("with the keyboard only: from signing in to a saved list", async () => {
  const person = await world.newPerson();
  const [a, b] = ["first", "second"].map((each) => `${each}-keyboard@home.example`) as [string, string];
  const [idA, idB] = [await person.newRecipient(a), await person.newRecipient(b)];
  const { data } = await person.api.createAlias({ recipient_ids: [idA, idB] });
  const page = await openApp(world);
  await page.locator("input[name=username]").waitFor();
  /** Goes on with Tab until what has the focus is called so. */
  const tabTo = async (name: string | RegExp) => {
    for (let n = 0; n < 60; n += 1) {
      const found = await focused(page);
      if (typeof name === "string" ? found === name : name.test(found)) return;
      await page.keyboard.press("Tab");
    }
    expect(await focused(page)).toMatch(name);
  };
  await page.keyboard.type(person.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(person.password);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: data.alias_email }).waitFor();
  await tabTo(data.alias_email);
  await page.keyboard.press("Enter");
  await page.locator("#recipients").waitFor();
  // The heading of the new view has the focus.
  expect(await focused(page)).toBe(data.alias_email);
  await tabTo("Change the recipients");
  await page.keyboard.press("Enter");
  await page.locator(".order li").first().waitFor();
  await tabTo(new RegExp(`^${a}, 1 of 2`));
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => order(page)).toEqual([b, a]);
  expect(await announced(page)).toBe(`${a} is now 2 of 2`);
  expect(await focused(page)).toMatch(`${a}, 2 of 2`);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => order(page)).toEqual([a, b]);
  await page.keyboard.press("ArrowDown");
  await tabTo("Save");
  await page.keyboard.press("Enter");
  await page.getByText("Saved").first().waitFor();
  expect((await person.api.getAlias(data.alias_id)).data.destination_emails).toEqual([b, a]);
});

test("recipients are added, moved and taken out with buttons, and saved as a whole", async () => {
  const { page, a, b, c, forwardsTo } = await atAlias({ bypassCSP: true });
  await expectAccessible(page);
  await edit(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: c }).click();
  await expect.poll(() => order(page)).toEqual([a, b, c]);
  await page.getByRole("button", { name: `Move ${c} up` }).click();
  await expect.poll(() => order(page)).toEqual([a, c, b]);
  expect(await focused(page)).toBe(`Move ${c} up`);
  await page.getByRole("button", { name: `Take ${a} out` }).click();
  await expect.poll(() => order(page)).toEqual([c, b]);
  expect(await focused(page)).toBe(`Take ${c} out`);
  await page.getByRole("button", { name: `Take ${b} out` }).click();
  await expect.poll(() => order(page)).toEqual([c]);
  // The last one stays: mail would have nowhere to go.
  await page.getByRole("button", { name: "The last recipient cannot be taken out" }).click({ force: true });
  expect(await order(page)).toEqual([c]);
  expect(await forwardsTo()).toEqual([a, b]);
  await save(page);
  await page.getByText("Saved").first().waitFor();
  expect(await forwardsTo()).toEqual([c]);
  // It stays, although the list has been made anew.
  await page.getByText(c).first().waitFor();
  expect(await page.locator(".notice.good").count()).toBe(1);
});

test("recipients are dragged with a finger", async () => {
  const { page, a, b, forwardsTo } = await atAlias({ hasTouch: true, viewport: { width: 360, height: 740 } });
  await edit(page);
  const handle = page.getByRole("button", { name: `${a}, 1 of 2` });
  await handle.scrollIntoViewIfNeeded();
  const from = await handle.boundingBox();
  const to = await page.locator(".order li").last().boundingBox();
  if (from === null || to === null) return expect.unreachable();
  const x = from.x + from.width / 2;
  const finger = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", y?: number) =>
    finger.send("Input.dispatchTouchEvent", { type, touchPoints: y === undefined ? [] : [{ x, y }] });
  await touch("touchStart", from.y + from.height / 2);
  for (let step = 1; step <= 8; step += 1)
    await touch("touchMove", from.y + ((to.y + to.height - 4 - from.y) * step) / 8);
  await touch("touchEnd");
  await expect.poll(() => order(page)).toEqual([b, a]);
  await expectFits(page);
  await save(page);
  await page.getByText("Saved").first().waitFor();
  expect(await forwardsTo()).toEqual([b, a]);
});

test("recipients are dragged with a mouse", async () => {
  const { page, a, b } = await atAlias();
  await edit(page);
  const to = await page.locator(".order li").first().boundingBox();
  await page.getByRole("button", { name: `${b}, 2 of 2` }).hover();
  await page.mouse.down();
  await page.mouse.move((to?.x ?? 0) + 20, (to?.y ?? 0) + 5, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => order(page)).toEqual([b, a]);
  await page.mouse.move(0, 700);
  expect(await order(page)).toEqual([b, a]);
});

test("two tabs: what somebody else saved is shown beside what was edited, and neither is lost", async () => {
  const { person, page, alias, a, b, c, idC, forwardsTo } = await atAlias();
  await edit(page);
  await page.getByRole("button", { name: `Take ${b} out` }).click();
  await person.api.replaceRecipients(alias.alias_id, [idC]);
  await save(page);
  await page.getByText("Meanwhile this was changed elsewhere").waitFor();
  expect(await order(page)).toEqual([a]);
  await page.locator(".notice ol").getByText(c).waitFor();
  expect(await forwardsTo()).toEqual([c]);
  await page.getByRole("button", { name: "Save mine" }).click();
  await expect.poll(forwardsTo).toEqual([a]);
});

test("a recipient that was switched off meanwhile is refused, and marked", async () => {
  const { person, page, c, idC, a, b, forwardsTo } = await atAlias();
  await edit(page);
  await page.getByRole("button", { name: c }).click();
  await person.api.updateRecipient(idC, { active: false });
  await save(page);
  await page.locator(".order").getByText("switched off").waitFor();
  expect(await order(page)).toEqual([a, b, `${c} switched off`]);
  expect(await forwardsTo()).toEqual([a, b]);
});

const FAILURES = [
  ["rate_limited", 429, { "retry-after": "7" }, "Try again in"],
  ["unavailable", 503, {}, "The service cannot do this at the moment"],
  ["account_suspended", 403, {}, "Your account is suspended"],
] as const;

test.each(FAILURES)(
  "saving that fails with %s says so, and keeps what was edited",
  async (code, status, headers, text) => {
    const { page, a, b, c } = await atAlias();
    await edit(page);
    await page.getByRole("button", { name: c }).click();
    const fulfill = {
      status,
      contentType: "application/problem+json",
      headers: {
        "access-control-allow-origin": world.app,
        "access-control-expose-headers": "retry-after",
        ...headers,
      },
      body: JSON.stringify({ status, code, title: code, detail: "" }),
    };
    let sent = 0;
    await page.route("**/recipients", (route) => {
      if (route.request().method() !== "PUT") return route.continue();
      sent += 1;
      return route.fulfill(fulfill);
    });
    await save(page);
    await page.getByRole("alert").getByText(text).waitFor();
    expect(await order(page)).toEqual([a, b, c]);
    expect(sent).toBe(1);
  },
);

test.each(["lost", "cut"])(
  "a connection that is %s while saving says so, and saving once more is right",
  async (how) => {
    const { page, a, b, c, forwardsTo } = await atAlias();
    await edit(page);
    await page.getByRole("button", { name: c }).click();
    await page.route(
      "**/recipients",
      async (route) => {
        if (route.request().method() !== "PUT") return route.continue();
        // Carried out or not: nobody can tell.
        if (how === "cut") await route.fetch();
        await route.abort("connectionreset");
      },
      { times: 1 },
    );
    await save(page);
    await page.getByRole("alert").getByText("There is no connection to the service").waitFor();
    expect(await order(page)).toEqual([a, b, c]);
    await page.unrouteAll();
    await save(page);
    await expect.poll(forwardsTo).toEqual([a, b, c]);
  },
);

test("description and website are changed; what was typed outlives a visit elsewhere", async () => {
  const { person, page, alias } = await atAlias();
  await page.getByRole("button", { name: "Change the description" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill(`Shop <b> ${"🦊".repeat(20)}`);
  await page.getByRole("link", { name: "Recipients" }).click();
  await page.getByRole("heading", { name: "Recipients", level: 1 }).waitFor();
  await page.goBack();
  expect(await page.getByRole("textbox", { name: "Description" }).inputValue()).toContain("Shop <b>");
  await save(page);
  await page.locator("p.long").getByText("Shop <b>").waitFor();
  await page.getByRole("button", { name: "Add a website" }).click();
  await page.getByRole("textbox", { name: "Website" }).fill("https://shop.example/login");
  await save(page);
  await page.getByText("Website: shop.example").waitFor();
  expect((await person.api.getAliasWebsite(alias.alias_id)).data.website).toBe("shop.example");
});

test("an alias is deleted and restored; an unknown one says so", async () => {
  const { person, page, alias } = await atAlias({ bypassCSP: true });
  await page.getByRole("button", { name: "Delete this alias" }).click();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("Delete this alias");
  await page.getByRole("button", { name: "Delete this alias" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("This alias was deleted").waitFor();
  await expectAccessible(page);
  expect((await person.api.getAlias(alias.alias_id)).data.datetime_deleted).not.toBeNull();
  await page.getByRole("button", { name: "Restore it" }).click();
  await page.getByText("On: mail is forwarded").waitFor();
  await page.goto(`${world.app}/aliases/unknown`);
  await page.getByRole("alert").getByText("There is no such alias").waitFor();
  await expectAccessible(page);
});

test("a new alias: a double click and a lost answer make one", async () => {
  const { person, page, c } = await atAlias({ bypassCSP: true });
  await page.goto(`${world.app}/new`);
  await page.getByRole("button", { name: "Create the alias" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "Description" }).fill("Only once");
  await page.getByRole("button", { name: c }).click();
  await page.route("**/aliases", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await page.getByRole("button", { name: "Create the alias" }).dblclick();
  await page.getByRole("alert").getByText("There is no connection").waitFor();
  expect(await page.getByRole("textbox", { name: "Description" }).inputValue()).toBe("Only once");
  await page.unrouteAll();
  await page.getByRole("button", { name: "Create the alias" }).click();
  await page.getByText("On: mail is forwarded").waitFor();
  const { data } = await person.api.listAliases({ q: "only once" });
  expect(data.aliases).toHaveLength(1);

  await page.goto(`${world.app}/new`);
  await page.getByLabel("My own").check();
  await page.getByRole("textbox", { name: "Before the @" }).fill("..no");
  await page.getByRole("button", { name: "Create the alias" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("textbox", { name: "Before the @" }).fill(`own-${person.email.split("@")[0]}`);
  await page.getByRole("button", { name: "Create the alias" }).click();
  await page.getByRole("heading", { name: `own-${person.email.split("@")[0]}@` }).waitFor();
});
