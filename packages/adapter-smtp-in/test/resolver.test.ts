import { type FakeZone, startFakeDns } from "@postern/test-support/fake-dns";
import { expect, onTestFinished, test } from "vitest";
import { cachingResolver } from "../src/resolver.ts";

const start = async (zone: FakeZone, lookupMs = 20_000) => {
  const dns = await startFakeDns(zone);
  const resolver = cachingResolver(`127.0.0.1:${dns.port}`, lookupMs);
  onTestFinished(async () => {
    resolver.close();
    await dns.close();
  });
  return { dns, lookup: resolver.lookup };
};

const LONG = "x".repeat(700);

test("finds records of each type, also those that are too long for UDP", async () => {
  const { lookup } = await start({
    "a.example": { A: ["192.0.2.1"], MX: [{ priority: 10, exchange: "mx.example" }], TXT: ["one", LONG] },
  });
  expect(await lookup("a.example", "A")).toEqual(["192.0.2.1"]);
  expect(await lookup("a.example", "MX")).toMatchObject([{ priority: 10, exchange: "mx.example" }]);
  const texts = await lookup("a.example", "TXT");
  expect(texts.map((parts) => [parts].flat().join(""))).toEqual(["one", LONG]);
});

test("remembers what it found, and what does not exist, and asks once for what many ask at once", async () => {
  const { dns, lookup } = await start({ "a.example": { TXT: ["one"] } });
  await Promise.all([lookup("a.example", "TXT"), lookup("A.example", "TXT"), lookup("a.example", "TXT")]);
  await lookup("a.example", "TXT");
  await expect(lookup("b.example", "TXT")).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(lookup("b.example", "TXT")).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(lookup("a.example", "A")).rejects.toMatchObject({ code: "ENODATA" });
  expect(dns.questions).toEqual(["TXT a.example", "TXT b.example", "A a.example"]);
});

test("does not remember failures of a name server", async () => {
  const { dns, lookup } = await start({ "a.example": "SERVFAIL" });
  await expect(lookup("a.example", "TXT")).rejects.toMatchObject({ code: "ESERVFAIL" });
  dns.zone["a.example"] = { TXT: ["back"] };
  expect(await lookup("a.example", "TXT")).toEqual([["back"]]);
});

test("does not wait for a name server that is silent", async () => {
  const { lookup } = await start({ "a.example": "silence" }, 500);
  await expect(lookup("a.example", "TXT")).rejects.toMatchObject({ code: "ETIMEOUT" });
});

test.each(["", "nonsense", "localhost:53", "127.0.0.1:port"])("rejects the name server %j", (server) => {
  expect(() => cachingResolver(server)).toThrow(TypeError);
});

test.each(["127.0.0.1", "127.0.0.1:5353", "[::1]:53", "::1"])("accepts the name server %j", (server) => {
  expect(() => cachingResolver(server).close()).not.toThrow();
});
