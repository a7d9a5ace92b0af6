import { parseAliasDomains, parseDomain } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { publishedRecords, zoneLines } from "../src/mail-identity/published-records.ts";

const recordsWith = (relayUrl: string) =>
  publishedRecords(
    {
      aliasDomains: valueOf(parseAliasDomains(["alias.test"])),
      name: valueOf(parseDomain("mx.test")),
      dkimKey: "",
      dkimSelector: "s",
      relayUrl,
    },
    "k".repeat(392),
  );

const spfOf = (relayUrl: string) =>
  recordsWith(relayUrl).find(({ purpose }) => purpose.startsWith("SPF")) ?? expect.unreachable();

test.each(["smtp://127.0.0.1:10025", "smtp://localhost", "smtps://user:p@[::1]:465"])(
  "with the relay %s, which is on this machine, SPF allows the addresses of the mail server",
  (relayUrl) => expect(spfOf(relayUrl).value).toBe("v=spf1 mx -all"),
);

test.each(["smtp://10.0.0.5", "smtps://user:p@email-smtp.eu-central-1.amazonaws.com:465"])(
  "with the relay %s, only its provider knows the SPF record",
  (relayUrl) => {
    const spf = spfOf(relayUrl);
    expect(spf.value).toBeNull();
    expect(zoneLines(spf)).toEqual([`; ${spf.purpose}.`, '; alias.test. IN TXT "…"']);
    expect(spf.purpose).toContain(URL.parse(relayUrl)?.hostname);
    expect(spf.purpose).not.toContain("user");
  },
);

test("a text that is too long for one DNS string is split", () => {
  const key = recordsWith("smtp://localhost").find(({ name }) => name.includes("_domainkey"));
  const [, line = ""] = zoneLines(key ?? expect.unreachable());
  const strings = [...line.matchAll(/"([^"]*)"/g)].map(([, string = ""]) => string);
  expect(strings.map(({ length }) => length)).toEqual([255, 392 + "v=DKIM1; k=rsa; p=".length - 255]);
  expect(strings.join("")).toBe(key?.value);
  expect(line).toMatch(/^s\._domainkey\.alias\.test\. IN TXT \( ".*" ".*" \)$/);
});
