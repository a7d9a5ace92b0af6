import { wordsIn } from "@postern/core/words";
import { startFakeDns } from "@postern/test-support/fake-dns";
import PostalMime from "postal-mime";
import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { newMailStore } from "./support/mail-store.ts";
import { startRelay } from "./support/relay.ts";
import { startServerProcess } from "./support/server-process.ts";
import { submit } from "./support/submit.ts";

/* An owner sets the rules of an alias through the API, and mail arrives at the same server. */

const [SHOP, SALE] = ["shop@alias.example.com", "sale@alias.example.com"];
const [ADA, GRACE] = ["ada@home.example", "grace@work.example"];
const DAY = 24 * 60 * 60 * 1_000;

const Aliases = z.object({
  aliases: z.array(z.looseObject({ alias_id: z.string(), alias_email: z.string() })),
});
const Rules = z.object({ messages_left: z.number().nullable(), active_until: z.number().nullable() });
const AliasState = z.looseObject({ active: z.boolean(), emails_blocked: z.number() });

const provider = await startIdentityProvider();
provider.release();
afterAll(provider.stop);
const relay = await startRelay();
const allowed = { TXT: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = await startFakeDns({ "shop.example": allowed, "sender.example": allowed });
afterAll(() => dns.close());
const { directory, variables } = await newMailEnvironment();
const store = await newMailStore(directory, { [SHOP]: [ADA, GRACE], [SALE]: [ADA, GRACE] });
const server = await startServerProcess({
  ...variables,
  ...store.variables,
  POSTERN_ISSUER: provider.issuer,
  POSTERN_RELAY_URL: relay.url,
  POSTERN_DNS: `127.0.0.1:${dns.port}`,
  POSTERN_SERVICE_NAME: "Müller & Söhne",
  POSTERN_LANGUAGE: "de",
});
afterAll(() => server.stop());

const headers = {
  authorization: `Bearer ${provider.tokenOf("account")}`,
  "content-type": "application/json",
};
const call = async (method: string, path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status, path).toBe(200);
  return response.json();
};

const open = async (email: string) => {
  const { aliases } = Aliases.parse(await call("GET", "/aliases"));
  const alias = aliases.find(({ alias_email }) => alias_email === email) ?? expect.unreachable();
  const path = `/aliases/${alias.alias_id}`;
  return {
    setRules: async (rules: object) => Rules.parse(await call("PATCH", `${path}/rules`, rules)),
    rules: async () => Rules.parse(await call("GET", `${path}/rules`)),
    alias: async () => AliasState.parse(await call("GET", path)),
    switchOn: () => call("PATCH", path, { active: true }),
    /** What the server replies to a message from this author. */
    send: async (author: string) => {
      const text = `From: ${author}\r\nTo: ${email}\r\nSubject: Hello\r\n\r\nHow are you?`;
      return (await submit(server.mailPort(), { from: author, to: email, text })).reply;
    },
    /** The subjects of what the relay has taken for its recipients, sorted. */
    subjects: () =>
      relay.taken
        .filter(({ raw }) => raw.includes(email))
        .map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw)?.[1])
        .toSorted(),
  };
};

test("only listed senders are accepted, the last message switches the alias off, and switching it on starts over", async () => {
  const { setRules, rules, alias, switchOn, send, subjects } = await open(SHOP);
  await setRules({ accept_from: "listed", senders: ["shop.example"], messages_left: 2 });
  expect(await send("bob@sender.example")).toMatch(/^550 5\.7\.1 /);
  expect(await send("news@mail.shop.example")).toMatch(/^250 /);
  expect(await rules()).toEqual({ messages_left: 1, active_until: null });
  expect(await send("news@shop.example")).toMatch(/^250 /);
  expect(await send("news@shop.example")).toMatch(/^550 5\.2\.1 /);
  expect(await alias()).toMatchObject({ active: false, emails_blocked: 2 });
  // Two messages and the notice, for both recipients.
  const all = [...Array(2).fill(`Abgeschaltet: ${SHOP}`), ...Array(4).fill("Hello")];
  await expect.poll(subjects).toEqual(all);
  const notices = relay.taken.filter(({ from, raw }) => from === "" && raw.includes(SHOP));
  expect(notices.map(({ to }) => to).toSorted()).toEqual([ADA, GRACE]);
  for (const { raw } of notices) {
    expect(raw).toMatch(/^DKIM-Signature: /m);
    // The signer has encoded what a relay would have had to change.
    expect(raw).toMatch(/^[\r\n\t -~]*$/);
    const { from, text } = await PostalMime.parse(raw);
    expect(from?.name).toBe("Müller & Söhne");
    expect(text).toContain(`    ${SHOP}`);
    expect(text).toContain(wordsIn("de").ended.again);
    for (const secret of [ADA, GRACE]) expect(raw).not.toContain(secret);
  }

  await switchOn();
  expect(await rules()).toEqual({ messages_left: null, active_until: null });
  expect(await send("news@shop.example")).toMatch(/^250 /);
  await expect.poll(subjects).toEqual([...all, "Hello", "Hello"]);
});

test("an alias whose time is up refuses mail, and its recipients are told once", async () => {
  const { setRules, alias, send, subjects } = await open(SALE);
  await setRules({ active_until: Date.now() + DAY });
  expect(await send("bob@sender.example")).toMatch(/^250 /);
  await store.end(SALE);
  expect(await send("bob@sender.example")).toMatch(/^550 5\.2\.1 /);
  expect(await send("bob@sender.example")).toMatch(/^550 5\.2\.1 /);
  expect(await alias()).toMatchObject({ active: false });
  const told = Array(2).fill(`Abgeschaltet: ${SALE}`);
  await expect.poll(subjects).toEqual([...told, "Hello", "Hello"]);
  expect(await alias()).toMatchObject({ emails_blocked: 2 });
});
