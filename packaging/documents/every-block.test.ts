import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocksOf } from "../../scripts/document-blocks.ts";
import { documents, ROOT } from "./documents.ts";

/** Their blocks are requests that packages/adapter-http/test/api-document.test.ts sends, and the responses to them. */
const RUN_AS_A_WHOLE = ["docs/api.md"];

const inBlocks = documents.filter((document) => !RUN_AS_A_WHOLE.includes(document));

/** `block("document", "section", index)`, as it is written in tests. */
const ASKED_FOR = /\bblock\(\s*"([^"]+)",\s*"((?:[^"\\]|\\.)+)"(?:,\s*(\d+))?,?\s*\)/g;

const askedFor = new Set(
  globSync(["packages/*/test/**/*.test.ts", "packaging/**/*.ts", "examples/*.test.ts"], {
    cwd: ROOT,
    exclude: ["**/node_modules"],
  })
    .flatMap((file) => [...readFileSync(join(ROOT, file), "utf8").matchAll(ASKED_FOR)])
    .map(([, document, section, index = "0"]) => `${document}: ${section}, block ${index}`),
);

test.each(inBlocks)("a test runs every block of %s that is not marked as untested", (document) => {
  const forgotten = blocksOf(document)
    .filter(({ language, embedded, isUntested }) => language !== "mermaid" && !embedded && !isUntested)
    .map(({ section, index }) => `${document}: ${section}, block ${index}`)
    .filter((name) => !askedFor.has(name));
  // If this fails: run the block in a test, which gets it from `block(…)`, or write "Not tried: …" or "Tried by hand: …" in the paragraph before it.
  expect(forgotten).toEqual([]);
});
