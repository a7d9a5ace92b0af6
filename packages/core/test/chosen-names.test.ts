import { memoryStore } from "@postern/adapter-memory";
import { Alias, NO_LIMITS, parseEmailAddress, postern } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chosenAddress } from "../src/alias/address/chosen-address.ts";
import { ADDRESS_FORMATS, localPart } from "../src/alias/address/local-part.ts";
import { reservedNames } from "../src/alias/address/reserved-names.ts";

const account = "account-1";
const ports = testPorts();
const store = memoryStore();
const service = postern({
  store,
  aliasDomains: ["alias.example"],
  reservedNames: ["Billing", "team+postern"],
  ...ports,
});
const home = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
const create = (name: string) =>
  service.createAlias({ account, email: `${name}@alias.example`, recipientIds: [home.id] });

/** Each name unchanged, in capitals, and with separators. */
const variantsOf = (name: string) => [
  name,
  name.toUpperCase(),
  ...(name.length > 1 ? [`${name[0]}.${name.slice(1)}`, `${name.slice(0, -1)}_${name.at(-1)}`] : []),
];

describe("reserved names", () => {
  test.each([
    // Domain validation, by current and former rules.
    ...["admin", "administrator", "webmaster", "hostmaster", "postmaster"],
    ...["root", "toor", "is", "it", "mis", "operator", "system", "sys", "sysadmin", "sysadministrator"],
    ...["ssl", "ssladmin", "ssl-admin", "ssladministrator", "sslwebmaster", "domainadmin", "tldadmin"],
    // RFC 2142.
    ...["info", "marketing", "sales", "support", "abuse", "noc", "security"],
    ...["usenet", "news", "www", "uucp", "ftp"],
    // Programs and the mail system.
    ...["mailer-daemon", "mail-daemon", "mailer", "daemon", "mail", "postfix", "exim"],
    ...["bounce", "bounces", "double-bounce", "returns"],
    ...["noreply", "no-reply", "noreplies", "donotreply", "donotrespond", "nobody"],
    ...["listserv", "listmaster", "majordomo", "mailman", "unsubscribe", "bin", "www-data"],
    ...["arf", "complaints", "fbl", "dkim", "dmarc", "dmarc-reports", "dmarc-rua", "dmarc-ruf", "spf"],
    ...["mta-sts", "smtp-tls", "tls-report", "tls-reports", "tlsrpt", "autoconfig", "autodiscover"],
    // The operator's own.
    ...["billing", "team"],
  ])("%s cannot be chosen, however it is written", async (name) => {
    for (const variant of variantsOf(name)) {
      const failure = failureOf(await create(variant));
      expect(failure, variant).toEqual({ code: "address_not_allowed", reason: "reserved" });
    }
  });

  test.each(["srs0-hash-tt-domain-user", "srs1-abc"])(
    "%s cannot be chosen: it looks like a rewritten sender",
    async (name) => {
      expect(failureOf(await create(name))).toEqual({ code: "address_not_allowed", reason: "reserved" });
    },
  );

  test.each([
    "administration",
    "roots",
    "my-admin",
    "newsletter",
    "srs",
    "srs0",
    "srs01-x",
    "xsrs0-x",
    "srs2-x",
  ])("%s can be chosen", async (name) => {
    expect(valueOf(await create(name)).email).toBe(`${name}@alias.example`);
  });

  test.each([
    [["a@b.example"], "reservedNames.0 must be names such as billing"],
    [["fine", ""], "reservedNames.1 must be names"],
    [["two words"], "reservedNames.0 must be names"],
  ])("postern throws if they are %j", (reservedNames, message) => {
    const open = () => postern({ store, aliasDomains: ["alias.example"], reservedNames, ...ports });
    expect(open).toThrow(TypeError);
    expect(open).toThrow(message);
  });
});

describe("the form of a chosen name", () => {
  test.each(["a", "7", "Shop.news", "a-b_c.d-e", "x".repeat(64), "2024-01"])(
    "%s is accepted",
    async (name) => {
      expect(valueOf(await create(name)).email).toBe(`${name}@alias.example`);
    },
  );

  test.each([
    ...[
      "-rf",
      "--config",
      "a--b",
      "shop+-x",
      "shop+",
      "+shop",
      "_a",
      "a_",
      "a-",
      "a._b",
      "a+.b",
      "shop+news",
    ],
    ...[
      "srs0=hash=tt=domain=user",
      "SRS1=x",
      "prvs=tag=user",
      "btv1==tag==user",
      "msprvs1=1=x",
      "bounce+a=b",
    ],
    ...[
      "a=b",
      "a/b",
      "|cat",
      "a!b",
      "a%b",
      "$HOME",
      "`id`",
      "a'b",
      "*",
      "~",
      "#1",
      "a&b",
      "{x}",
      "a?b",
      "a^b",
    ],
  ])("%s is refused, with a hint", async (name) => {
    const failure = failureOf(await create(name));
    expect(failure).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["email"], reason: expect.stringContaining("choose another name") }],
    });
  });

  test("an existing alias with a name of another form keeps working", async () => {
    for (const name of ["srs0=a=b", "--option", "a'b", "postmaster", "bounce+x=y"]) {
      const template = valueOf(await service.createAlias({ account, recipientIds: [home.id] }));
      const email = valueOf(parseEmailAddress(`${name}@alias.example`));
      const odd: Alias = { ...template, id: ports.ids.alias(), email };
      valueOf(await store.aliases.create(odd, NO_LIMITS));
      const target = { account, aliasId: odd.id };
      expect(valueOf(await service.resolveAlias({ address: email })).alias).toEqual(Alias.state(odd));
      expect(valueOf(await service.listAliases({ account, q: name })).items).toEqual([odd]);
      expect(valueOf(await service.updateAlias({ ...target, description: "odd" })).description).toBe("odd");
      const replaced = await service.replaceRecipients({ ...target, recipientIds: [home.id] });
      expect(valueOf(replaced).email).toBe(email);
      const event = { alias: { email }, eventId: "event", outcome: "sent" as const, at: 1 };
      expect(valueOf(await service.recordMailOutcome(event))).toBe("recorded");
      expect(valueOf(await service.deleteAlias(target)).deletedAt).not.toBeNull();
      expect(valueOf(await service.restoreAlias(target)).deletedAt).toBeNull();
      expect((await service.eraseAlias(target)).isOk()).toBe(true);
    }
  });
});

test("no generated address is reserved or of a form that could not be chosen", async () => {
  const isReserved = reservedNames([]);
  const numbers = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
  await fc.assert(
    fc.property(fc.constantFrom(...ADDRESS_FORMATS), numbers, (format, numbers) => {
      let drawn = 0;
      const local = localPart(format, (below) => (numbers[drawn++] ?? 0) % below);
      const address = valueOf(parseEmailAddress(`${local}@alias.example`));
      expect(isReserved(address)).toBe(false);
      expect(chosenAddress.parse(address)).toBe(address);
    }),
    { numRuns: 2_000 },
  );
});

test("mail to any tag of a chosen name finds its alias", async () => {
  const part = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  const separator = fc.constantFrom(".", "_", "-");
  const name = fc.tuple(part, separator, part, fc.nat()).map(([a, s, b, n]) => `${a}${s}${b}-${n}`);
  const taken = new Set<string>();
  await fc.assert(
    fc.asyncProperty(name, part, async (name, tag) => {
      fc.pre(!taken.has(name));
      taken.add(name);
      const alias = valueOf(await create(name));
      const resolved = await service.resolveAlias({ address: `${name.toUpperCase()}+${tag}@alias.example` });
      expect(valueOf(resolved)).toEqual({ alias: Alias.state(alias), tag });
    }),
  );
});
