import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { openApp, signIn } from "./browser.ts";
import type { World } from "./world.ts";

type Person = Awaited<ReturnType<World["newPerson"]>>;

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../../../docs/images/${name}.png`, import.meta.url));

/** An account with something to see in each view. Returns the id of the alias to look at. */
const furnish = async (world: World, person: Person): Promise<string> => {
  const name = person.email.split("@")[0];
  const home = await person.newRecipient(`ada.${name}@home.example`);
  const work = await person.newRecipient(`ada.${name}@work.example`);
  await person.api.addRecipient(`new.${name}@elsewhere.example`);
  const make = async (local: string, description: string, recipients: readonly [string, ...string[]]) =>
    (
      await person.api.createAlias({
        alias_email: `${local}-${name}@alias.example.com`,
        description,
        recipient_ids: recipients,
      })
    ).data;
  const off = await make("raffle", "A raffle at the fair", [home]);
  await person.api.updateAlias(off.alias_id, { active: false });
  await make("newsletters", "Newsletters", [home]);
  await make("bank", "Only my bank", [home, work]);
  const shop = await make("shopping", "Shopping: books, and things for the garden", [home, work]);
  await person.api.updateAliasRules(shop.alias_id, { accept_from: "listed", senders: ["books.example"] });
  await person.api.blockSender("spam.example");
  await person.api.createWebhook({ url: "https://hooks.home.example/postern", events: ["message.failed"] });
  await person.api.createApiKey({ name: "Password manager", scopes: ["aliases:create"] });
  await world.send("orders@books.example", shop.alias_email, { subject: "Your order is on its way" });
  await world.send("offers@spam.example", shop.alias_email, { subject: "You have won" });
  await world.send("orders@books.example", shop.alias_email, { subject: "Your invoice" });
  return shop.alias_id;
};

const WINDOWS = [
  { width: 1280, height: 900 },
  { width: 360, height: 740 },
];

const shot = async (page: Page, url: string): Promise<string> => {
  await page.goto(url);
  await page.locator("main h1").waitFor();
  await page.waitForLoadState("networkidle");
  if (/contacts|rules/.test(url))
    await page.evaluate(() => document.querySelector(".tabs")?.scrollIntoView());
  return (await page.screenshot()).toString("base64");
};

/** Writes a picture of all views, on a desktop and on a phone, and one of the list and an alias for the README. */
export const keepPictures = async (
  world: World,
  colorScheme: "light" | "dark",
  locale: string,
): Promise<void> => {
  const person = await world.newPerson();
  const alias = await furnish(world, person);
  const views = [
    "/",
    `/aliases/${alias}`,
    `/aliases/${alias}/contacts`,
    `/aliases/${alias}/rules`,
    "/new",
    "/recipients",
    "/blocked-senders",
    "/webhooks",
    "/keys",
    "/settings",
  ];
  const rows: string[][] = [];
  for (const viewport of WINDOWS) {
    const page = await openApp(world, "/", { viewport, colorScheme, locale });
    await page.locator("input[name=password]").waitFor();
    const first = (await page.screenshot()).toString("base64");
    await signIn(page, person);
    const shots = [first];
    for (const view of views) shots.push(await shot(page, world.app + view));
    rows.push(shots);
  }
  const sheet = await openApp(world, "/", { viewport: { width: 1900, height: 900 } });
  await sheet.route("**/sheet", (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await sheet.goto(`${world.app}/sheet`);
  const draw = (images: readonly (readonly [data: string, width: number])[], columns: string) =>
    sheet.evaluate(
      ([list, grid]) => {
        document.body.replaceChildren();
        document.body.style.cssText = `margin: 0; padding: 16px; background: #7b818c; display: grid; gap: 16px; align-items: start; grid-template-columns: ${grid}`;
        for (const [data, width] of list) {
          const image = document.createElement("img");
          image.width = width;
          image.src = `data:image/png;base64,${data}`;
          document.body.append(image);
        }
        return Promise.all([...document.images].map((image) => image.decode()));
      },
      [images, columns] as const,
    );
  const [desktop = [], phone = []] = rows;
  await draw(
    desktop.flatMap((data, index) => [[data, 420] as const, [phone[index] ?? "", 145] as const]),
    "repeat(3, auto auto)",
  );
  await sheet.screenshot({ path: pathOf(`app-${colorScheme}`), fullPage: true });
  await sheet.setViewportSize({ width: 958, height: 480 });
  const english: string[] = [];
  for (const [index, viewport] of WINDOWS.entries()) {
    const page = await openApp(world, "/", { viewport, colorScheme });
    await signIn(page, person);
    english.push(await shot(page, world.app + (views[1 - index] ?? "")));
  }
  await draw(
    english.map((data, index) => [data, index === 0 ? 680 : 230] as const),
    "auto auto",
  );
  await sheet.screenshot({ path: pathOf(`alias-${colorScheme}`), fullPage: true });
};
