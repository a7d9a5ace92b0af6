import { readFileSync } from "node:fs";
import { memoryStore } from "@postern/adapter-memory";
import { postern } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { expect, test } from "vitest";

test("the README lists every operation", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const list = /^- \*\*Operations\.\*\*(.*?)^- /ms.exec(readme)?.[1] ?? "";
  const listed = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const service = postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() });
  expect(listed.toSorted()).toEqual(Object.keys(service).toSorted());
});
