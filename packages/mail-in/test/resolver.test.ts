import { type FakeZone, startFakeDns } from "@postern/test-support/fake-dns";
import { expect, onTestFinished, test, vi } from "vitest";
import { cachingResolver } from "../src/resolver.ts";

// More than other tests of this package: this takes seconds.
vi.setConfig({ testTimeout: 300_000 });

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

test("finds records of each type, including those that are too long for UDP", async () => {
  const { lookup } = await start({
    "a.example": { A: ["192.0.2.1"], MX: [{ priority: 10, exchange: "mx.example" }], TXT: ["one", LONG] },
  });
  expect(await lookup("a.example", "A")).toEqual(["192.0.2.1"]);
  expect(await lookup("a.example", "MX")).toMatchObject([{ priority: 10, exchange: "mx.example" }]);
  const texts = await lookup("a.example", "TXT");
  expect(texts.map((parts) => [parts].flat().join(""))).toEqual(["one", LONG]);
});

test("caches what it found and what does not exist, and asks once for concurrent lookups", async () => {
  const { dns, lookup } = await start({ "a.example": { TXT: ["one"] } });
  await Promise.all([lookup("a.example", "TXT"), lookup("A.example", "TXT"), lookup("a.example", "TXT")]);
  await lookup("a.example", "TXT");
  await expect(lookup("b.example", "TXT")).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(lookup("b.example", "TXT")).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(lookup("a.example", "A")).rejects.toMatchObject({ code: "ENODATA" });
  expect(dns.questions).toEqual(["TXT a.example", "TXT b.example", "A a.example"]);
});

test("does not cache failures of a name server", async () => {
  const { dns, lookup } = await start({ "a.example": "SERVFAIL" });
  await expect(lookup("a.example", "TXT")).rejects.toMatchObject({ code: "ESERVFAIL" });
  dns.zone["a.example"] = { TXT: ["back"] };
  expect(await lookup("a.example", "TXT")).toEqual([["back"]]);
});

test("an answer of more than 16 KiB is too large, however it is divided, and is not cached", async () => {
  const txt = (size: number) => [...Array<string>(60).fill("x".repeat(192)), "x".repeat(size)];
  const { dns, lookup } = await start({
    "fits.example": { TXT: txt(960) },
    "long.example": { TXT: txt(961) },
    "many.example": { A: Array<string>(300).fill("192.0.2.1") },
  });
  expect(await lookup("fits.example", "TXT")).toHaveLength(61);
  for (const [name, type] of [
    ["long.example", "TXT"],
    ["many.example", "A"],
    ["many.example", "A"],
  ] as const) {
    await expect(lookup(name, type)).rejects.toMatchObject({ code: "EBADRESP" });
  }
  // Twice over UDP, and each time over TCP.
  expect(dns.questions.filter((question) => question.includes("many"))).toHaveLength(4);
});

test("evicts the oldest answers once all of them together are too large", async () => {
  const names = Array.from({ length: 1_030 }, (_, n) => `${n}.example`);
  const { dns, lookup } = await start(
    Object.fromEntries(names.map((name) => [name, { TXT: ["x".repeat(16_320)] }])),
  );
  const isAsked = async (name: string): Promise<boolean> => {
    const before = dns.questions.length;
    await lookup(name, "TXT");
    return dns.questions.length > before;
  };
  for (const name of names) expect(await isAsked(name)).toBe(true);
  for (const name of names.slice(-1_000)) expect(await isAsked(name)).toBe(false);
  expect(await isAsked("0.example")).toBe(true);
});

test("a name that cannot be looked up does not exist", async () => {
  const { dns, lookup } = await start({});
  for (const name of ["a..b.example", `${"a".repeat(64)}.example`]) {
    await expect(lookup(name, "TXT")).rejects.toMatchObject({ code: "ENOTFOUND" });
  }
  expect(dns.questions).toEqual([]);
});

test("does not wait forever for a silent name server", async () => {
  const { lookup } = await start({ "a.example": "silence" }, 500);
  await expect(lookup("a.example", "TXT")).rejects.toMatchObject({ code: "ETIMEOUT" });
});

test.each(["", "nonsense", "localhost:53", "127.0.0.1:port"])("rejects the name server %j", (server) => {
  expect(() => cachingResolver(server)).toThrow(TypeError);
});

test.each(["127.0.0.1", "127.0.0.1:5353", "[::1]:53", "[::1]", "::1", "[fe80::1%lo]"])(
  "accepts the name server %j",
  (server) => {
    expect(() => cachingResolver(server).close()).not.toThrow();
  },
);
