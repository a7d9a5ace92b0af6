import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, expect, test } from "vitest";
import { launchChromium } from "../../server/test/support/chromium.ts";
import { throwing } from "../src/index.ts";
import { bundled } from "./support/bundled.ts";
import { reply } from "./support/proxy.ts";
import { startService } from "./support/service.ts";

/** A web app of another origin than the API. */
const code = await bundled();
const app = createServer((_, response) =>
  response.setHeader("content-type", "text/html").end("<!doctype html>"),
);
app.listen(0, "127.0.0.1");
await once(app, "listening");
const address = app.address();
if (address === null || typeof address === "string") throw new Error("there is no port");
const origin = `http://127.0.0.1:${address.port}`;
const { proxy, newAccount } = await startService({ POSTERN_CORS_ORIGINS: origin });
const browser = await launchChromium();
afterAll(async () => {
  await browser.close();
  app.closeAllConnections();
  app.close();
});

test("in a browser, an app of another origin creates, reads and changes, and sees versions and pauses", async () => {
  const { newRecipient, client, token } = newAccount();
  const home = await newRecipient("home");
  const page = await browser.newPage();
  await page.goto(origin);
  /** What this code returns in the page, where it can use the client. */
  const inPage = (body: string): Promise<unknown> =>
    page.evaluate(`(async () => {
      const module = await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: "text/javascript" })));
      const client = module.createClient(${JSON.stringify({ baseUrl: `${proxy.url}/v1`, token })});
      ${body}
    })()`);

  expect(
    await inPage(`
      const created = await client.createAlias({ recipient_ids: [${JSON.stringify(home)}] });
      const { alias_id } = created.data;
      const changed = await client.updateAlias(alias_id, { active: false }, { ifMatch: created.etag });
      const refused = await client.updateAlias(alias_id, { active: true }, { ifMatch: created.etag });
      const found = [];
      for await (const { data } of client.allAliases({ active: false })) found.push(data.alias_id === alias_id);
      return [created.etag, changed.etag, typeof changed.requestId, refused.problem.code, found];
    `),
  ).toEqual(['"1"', '"2"', "string", "precondition_failed", [true]]);
  expect(await throwing(client).listAliases()).toMatchObject({ data: { aliases: [{ active: false }] } });

  const cors = { "access-control-allow-origin": origin };
  const redirect = reply(302, { ...cors, location: `${proxy.url}/v1/health` });
  const { result, requests } = await proxy.during([redirect], () => inPage("return client.health();"));
  expect(result).toMatchObject({ problem: { code: "unreachable", reason: "redirect", status: null } });
  expect(requests).toHaveLength(1);
});
