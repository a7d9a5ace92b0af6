import { LANGUAGES, wordsIn } from "@postern/core/words";
import { expect, onTestFinished, test } from "vitest";
import { fetchHandler } from "../src/index.ts";
import { SAFE } from "./support/safe-headers.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

const issuer = useIssuer();

/** What a browser sends. */
const ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const openHome = async (options: Parameters<typeof openWorld>[1] = {}) => {
  const { api } = await openWorld(issuer(), { home: true, ...options });
  onTestFinished(() => api.close());
  const handle = fetchHandler(api);
  return (path: string, headers: Record<string, string> = {}, method = "GET") =>
    handle(new Request(`http://alias.example${path}`, { method, headers }));
};

test.each(LANGUAGES)("a browser gets a page in its language: %s", async (language) => {
  const words = wordsIn(language).home;
  const open = await openHome({ corsOrigins: ["https://app.example"] });
  const response = await open("/", { accept: ACCEPT, "accept-language": `${language}-CH` });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...SAFE,
    "content-type": "text/html; charset=utf-8",
    "content-language": language,
    vary: "Accept, Accept-Language, Origin",
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    ),
  });
  const html = await response.text();
  for (const text of [words.title, words.text("Postern"), words.visitors]) expect(html).toContain(text);
  // Nothing about the deployment: no version, no domains.
  expect(html).not.toMatch(/<a |openapi|\d+\.\d+\.\d+|example|store|memory/i);
  const head = await open("/", { accept: ACCEPT }, "HEAD");
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("any other client gets JSON", async () => {
  const open = await openHome({ service: { name: "Müller & Söhne" }, publicDocument: true });
  for (const headers of [{}, { accept: "application/json" }, { accept: "text/html, application/json" }]) {
    const response = await open("/", headers);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toEqual({ service: "Müller & Söhne", openapi: "/openapi.json" });
  }
  expect(await (await (await openHome())("/")).json()).toEqual({ service: "Postern" });
});

test("the page names the service, and leads to its website and to the API's document, if that is public", async () => {
  const open = await openHome({
    service: { name: "Müller & Söhne", url: "https://post.test/app" },
    publicDocument: true,
    basePath: "/mail",
  });
  for (const path of ["/mail/", "/mail/v1/"]) {
    const html = await (await open(path, { accept: ACCEPT })).text();
    expect(html).toContain('<p class="name">Müller &amp; Söhne</p>');
    const links = [...html.matchAll(/<a href="([^"]+)">/g)].map(([, href = ""]) => href);
    expect(links).toEqual([`${path}openapi.json`, "https://post.test/app"]);
    expect((await open(links[0] ?? "")).status).toBe(200);
  }
});

test("everything else is as without the page", async () => {
  const open = await openHome();
  const authorization = `Bearer ${await issuer().token({ sub: "alice" })}`;
  for (const path of ["/v2/", "//", "/index.html", "/favicon.ico", "/robots.txt"]) {
    expect((await open(path, { accept: ACCEPT })).status, path).toBe(401);
    expect((await open(path, { accept: ACCEPT, authorization })).status, path).toBe(404);
  }
  expect((await open("/", {}, "POST")).status).toBe(401);
  const post = await open("/", { authorization }, "POST");
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
