import { LANGUAGES, wordsIn } from "@postern/core/words";
import { htmlEscape } from "escape-goat";
import { describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

const issuer = useIssuer();

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>`;
const LOGO = new TextEncoder().encode(SVG);
const HOSTILE = `</title><script>alert(1)</script>"'&amp;`;

type Options = Parameters<typeof openWorld>[1];

/** Opens the page as a browser does. */
const opened = async (options: Options = {}, acceptLanguage?: string) => {
  const world = await openWorld(issuer(), options);
  await world.call("POST", "/recipients", { body: { recipient_email: "me@mail.example" } });
  return async (query: string) =>
    world.call("GET", `/recipients/verify?token=${world.links[0]}${query}`, {
      as: null,
      headers: {
        accept: "text/html",
        ...(acceptLanguage !== undefined && { "accept-language": acceptLanguage }),
      },
    });
};

const QUERIES = ["", "&confirm=true", "A&confirm=true", "&suppress=true"];

describe("the page of a verification link", () => {
  test.each(LANGUAGES)("is in the language that the browser asks for: %s", async (language) => {
    const [other = language] = LANGUAGES.filter((each) => each !== language);
    const open = await opened({ language: other }, `${language}-CH,${other};q=0.8`);
    const words = wordsIn(language).page;
    const titles = [words.confirm, words.confirmed, words.incomplete, words.suppressed];
    for (const [n, query] of QUERIES.entries()) {
      const { body, headers } = await open(query);
      expect(headers).toMatchObject({
        "content-language": language,
        vary: expect.stringContaining("Accept-Language"),
      });
      expect(body).toContain(`<html lang="${language}">`);
      expect(body).toContain(`<h1>${titles[n]?.title}</h1>`);
    }
  });

  test("is in the language of the setting if the browser asks for none that there is", async () => {
    expect((await (await opened({ language: "de" }, "fr"))("")).body).toContain('<html lang="de">');
    expect((await (await opened({ language: "de" }))("")).body).toContain('<html lang="de">');
    expect((await (await opened({}, "fr"))("")).body).toContain('<html lang="en">');
  });

  test("problems and other responses for programs stay as they are", async () => {
    const world = await openWorld(issuer(), { language: "de" });
    const headers = { "accept-language": "de" };
    const problem = await world.call("GET", "/recipients/verify?token=x&confirm=true", { as: null, headers });
    expect(problem).toMatchObject({ status: 400, body: { title: "Invalid link" } });
    expect(problem.headers["content-language"]).toBeUndefined();
  });

  test("names the service and leads to its website", async () => {
    const open = await opened({ service: { name: "Müller & Söhne", url: "https://post.test/" } });
    for (const query of QUERIES) {
      const { body } = await open(query);
      expect(body).toContain(" – Müller &amp; Söhne</title>");
      expect(body).toContain('<p class="name">Müller &amp; Söhne</p>');
      expect(body).toContain('<a href="https://post.test/">post.test</a>');
      expect(body).not.toContain("Postern");
    }
    expect((await open("")).body).toContain("asked Müller &amp; Söhne to forward");
  });

  test("treats the name and the URL as text", async () => {
    const service = { name: HOSTILE, url: `https://post.test/?a="><script>&b='` };
    for (const language of LANGUAGES) {
      const open = await opened({ service, language });
      for (const query of QUERIES) {
        const { body } = await open(query);
        expect(body).not.toMatch(/<script/);
        expect(body.split(htmlEscape(HOSTILE)).length).toBeGreaterThan(2);
        expect(body).toContain(htmlEscape(service.url));
      }
    }
  });

  test("contains the logo, and its policy allows nothing else", async () => {
    const open = await opened({ logo: LOGO });
    for (const query of QUERIES) {
      const { body, headers } = await open(query);
      const [, logo = ""] =
        /<img class="logo" src="data:image\/svg\+xml;base64,([^"]+)" alt="">/.exec(body) ?? [];
      expect(Buffer.from(logo, "base64").toString()).toBe(SVG);
      expect(String(headers["content-security-policy"])).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );
    }
  });
});

describe("a logo", () => {
  test.each([
    ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]],
    ["image/jpeg", [0xff, 0xd8, 0xff, 0xe0, 0]],
    ["image/svg+xml", [...new TextEncoder().encode(`\ufeff<?xml version="1.0"?>\n<!-- x -->\n${SVG}`)]],
  ])("can be %s", async (type, bytes) => {
    // A part of a larger buffer, as `readFile` returns it.
    const logo = Uint8Array.from([1, 2, 3, ...bytes]).subarray(3);
    const { body } = await (await opened({ logo }))("");
    expect(body).toContain(`src="data:${type};base64,${Buffer.from(bytes).toString("base64")}"`);
  });

  const IMAGE = "logo must be a PNG, JPEG or SVG image (an SVG in UTF-8, with its namespace)";
  test.each([
    ["nothing", "", IMAGE],
    ["a page with an image", `<!DOCTYPE html>\n<html>${SVG}`, IMAGE],
    ["an SVG that browsers do not show", "<svg viewBox='0 0 8 8'></svg>", IMAGE],
    ["a GIF", "GIF89a", IMAGE],
    ["more than 64 KiB", SVG + " ".repeat(64 * 1024), "logo must be at most 64 KiB"],
  ])("cannot be %s", async (_, content, problem) => {
    const refused = openWorld(issuer(), { logo: new TextEncoder().encode(content) });
    await expect(refused).rejects.toThrow(new TypeError(problem));
  });
});
