/// <reference lib="dom" />
import type { Locator, Page } from "playwright-core";
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
import { problemResponse } from "./support/failures.ts";
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
const hasFocus = (control: Locator) => control.evaluate((node) => node === document.activeElement);
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

test("whatever opens, closes or goes, the focus stays where it happens", async () => {
  const { page, alias, a, c } = await atAlias();
  await page.getByRole("button", { name: "Change the description" }).press("Enter");
  const description = page.getByRole("textbox", { name: "Description" });
  await expect.poll(() => hasFocus(description)).toBe(true);
  await description.fill("Shop, with a line\nbreak");
  await description.press("Enter");
  await page.locator("p.long").getByText("Shop, with a line").waitFor();
  expect(await focused(page)).toBe("Change the description");
  await page.getByRole("button", { name: "Add a website" }).press("Enter");
  await expect.poll(() => hasFocus(page.getByRole("textbox", { name: "Website" }))).toBe(true);
  await page.keyboard.type("shop.example");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Change");
  await page.getByRole("button", { name: "Change the recipients" }).press("Enter");
  await page.getByRole("button", { name: c }).press("Enter");
  await expect.poll(() => announced(page)).toBe(`${c} is now number 3`);
  expect(await focused(page)).toBe("Add a recipient");
  await page.getByRole("button", { name: "Cancel" }).press("Enter");
  expect(await focused(page)).toBe("Change the recipients");
  // Now the recipients are there at once.
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toMatch(`${a}, 1 of 2`);
  await page.getByRole("button", { name: "Delete this alias" }).press("Enter");
  await page.getByRole("button", { name: "Delete", exact: true }).press("Enter");
  await expect.poll(() => focused(page)).toBe("Restore it");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe(`${alias.alias_email} forwards mail`);
});

test("more than ten recipients can be searched, also when fewer are left to be added", async () => {
  const person = await world.newPerson();
  const ids: string[] = [];
  for (let n = 10; n < 22; n += 1) ids.push(await person.newRecipient(`of-many-${n}@home.example`));
  const { data } = await person.api.createAlias({ recipient_ids: [ids[0] ?? ""] });
  const page = await openApp(world, `/aliases/${data.alias_id}`);
  await signIn(page, person);
  await edit(page);
  const search = page.getByRole("searchbox", { name: "Search recipients" });
  await search.fill("MANY-21");
  await page.getByRole("button", { name: "of-many-21@home.example" }).click();
  await page.getByText("No other recipient has such an address").waitFor();
  await search.fill("");
  await expect.poll(() => page.locator(".candidates li").count()).toBe(10);
});

test("a switch shows what it was set to, and the last of two clicks counts", async () => {
  const { person, page, alias } = await atAlias();
  const isActive = async () => (await person.api.getAlias(alias.alias_id)).data.active;
  const isShownOn = () => page.getByRole("switch").getAttribute("aria-checked");
  const held = { GET: [] as (() => void)[], PATCH: [] as (() => void)[] };
  let holds: keyof typeof held | null = "PATCH";
  await page.route(`**/aliases/${alias.alias_id}`, async (route) => {
    const method = route.request().method();
    if (method === holds) await new Promise<void>((resolve) => held[method].push(resolve));
    await route.continue();
  });
  await page.getByRole("switch").click();
  await expect.poll(() => held.PATCH.length).toBe(1);
  // Before the answer has come.
  expect(await isShownOn()).toBe("false");
  await page.getByRole("switch").click();
  await expect.poll(isShownOn).toBe("true");
  holds = null;
  for (const go of held.PATCH) go();
  await expect.poll(() => announced(page)).toBe(`${alias.alias_email} is switched on`);
  expect(await isActive()).toBe(true);
  expect(await isShownOn()).toBe("true");
  await page.route(`**/aliases/${alias.alias_id}`, async (route) => {
    await route.fallback();
    // From now on, it is not read again as long as this test looks.
    if (route.request().method() === "PATCH") holds = "GET";
  });
  await page.getByRole("switch").click();
  await expect.poll(() => announced(page)).toBe(`${alias.alias_email} is switched off`);
  expect(await isShownOn()).toBe("false");
  expect(await isActive()).toBe(false);
  holds = null;
  for (const go of held.GET) go();
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

test.each([320, 1280])(
  "at %i pixels, one alias and its forms are not wider than the screen, also with doubled text and long names",
  async (width) => {
    const person = await world.newPerson();
    const ids = [
      await person.newRecipient(`${"r".repeat(60)}@${"long.".repeat(30)}of${width}.example`),
      await person.newRecipient(`${"s".repeat(60)}@${"long.".repeat(30)}of${width}.example`),
    ] as const;
    const { data } = await person.api.createAlias({
      alias_email: `${"c".repeat(40)}-${"d".repeat(19)}${width}@alias.example.com`,
      description: `<img src=x onerror=alert(1)> \u202edesrever ${"🦊".repeat(100)} ${"x".repeat(200)}`,
      website: `${"w".repeat(60)}.${"long.".repeat(30)}example`,
      recipient_ids: [ids[0]],
    });
    const size = { width, height: 740 };
    const page = await openApp(world, `/aliases/${data.alias_id}`, { viewport: size, screen: size });
    await signIn(page, person);
    const forms = [
      async () => {
        await page.getByText("<img src=x onerror=alert(1)>").waitFor();
        await expectFits(page);
        await page.getByRole("button", { name: "Change the description" }).click();
        await edit(page);
      },
      async () => {
        await page.goto(`${world.app}/new`);
        await page.getByLabel("My own").check();
      },
    ];
    for (const open of forms) {
      await open();
      await expectFitsEnlarged(page);
    }
  },
);

test("a description that somebody else has changed is shown beside the one that was typed", async () => {
  const { person, page, alias } = await atAlias();
  const stored = async () => (await person.api.getAlias(alias.alias_id)).data.description;
  const change = async (mine: string, theirs: string) => {
    await page.getByRole("button", { name: "Change the description" }).click();
    await page.getByRole("textbox", { name: "Description" }).fill(mine);
    await person.api.updateAlias(alias.alias_id, { description: theirs });
    await save(page);
    await page.locator(".notice").getByText(theirs).waitFor();
    expect(await page.getByRole("textbox", { name: "Description" }).inputValue()).toBe(mine);
    expect(await stored()).toBe(theirs);
  };
  await change("Mine", "Theirs");
  await page.getByRole("button", { name: "Save mine" }).click();
  await expect.poll(stored).toBe("Mine");
  await change("Mine again", "Theirs again");
  await page.getByRole("button", { name: "Keep that" }).click();
  await page.locator("p.long").getByText("Theirs again").waitFor();
  expect(await stored()).toBe("Theirs again");
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
    const response = problemResponse(world, { status, code }, headers);
    let sent = 0;
    await page.route("**/recipients", (route) => {
      if (route.request().method() !== "PUT") return route.continue();
      sent += 1;
      return route.fulfill(response);
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

test("an alias that is deleted leaves the list, and is restored with those recipients that still can be", async () => {
  const { person, page, alias, a, b, idB, forwardsTo } = await atAlias();
  await page.getByRole("link", { name: "Aliases", exact: true }).first().click();
  await page.getByRole("link", { name: alias.alias_email }).click();
  await page.getByRole("button", { name: "Delete this alias" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "Forwarded to" }).waitFor();
  await page.goBack();
  await page.getByText("You have no alias yet").waitFor();
  expect(await page.getByRole("link", { name: alias.alias_email }).count()).toBe(0);
  await person.api.updateRecipient(idB, { active: false });
  await page.goForward();
  await page.getByRole("button", { name: "Restore it" }).click();
  await page.getByText("Not all of its former recipients can be used").waitFor();
  await page.locator("ol.plain").getByText(`${b} switched off`).waitFor();
  await expect.poll(() => order(page)).toEqual([a]);
  await page.getByRole("button", { name: "Restore it" }).click();
  await page.getByText("On: mail is forwarded").waitFor();
  expect(await forwardsTo()).toEqual([a]);
});

test("a new alias whose answer was lost is not made twice, even if the form was changed meanwhile", async () => {
  const { person, page } = await atAlias();
  await page.route("**/service", (route) => route.abort(), { times: 3 });
  await page.goto(`${world.app}/new`);
  await page.getByRole("button", { name: "Try again" }).click();
  const description = page.getByRole("textbox", { name: "Description" });
  await description.fill("Lost answer");
  await page.route(
    "**/aliases",
    async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    },
    { times: 1 },
  );
  const create = page.getByRole("button", { name: "Create the alias" });
  await create.click();
  await page.getByRole("alert").getByText("There is no connection").waitFor();
  await description.fill("Lost answer, changed");
  await create.click();
  await page.getByRole("alert").getByText("Something else was created with this form").waitFor();
  expect(await description.inputValue()).toBe("Lost answer, changed");
  const found = async () => (await person.api.listAliases({ q: "lost answer" })).data.aliases.length;
  expect(await found()).toBe(1);
  // Whoever has looked at the list, and wants another one, gets it.
  await create.click();
  await page.getByText("On: mail is forwarded").waitFor();
  expect(await found()).toBe(2);
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
