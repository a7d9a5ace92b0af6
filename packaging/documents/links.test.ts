import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { proseOf } from "../../scripts/document-blocks.ts";
import { documents, ROOT } from "./documents.ts";

/** The anchors that GitHub gives to the headings of a document: of two equal ones, the second ends with `-1`. */
const anchorsIn = (document: string): ReadonlySet<string> => {
  const anchors = new Map<string, number>();
  return new Set(
    [...proseOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => {
      const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
      const anchor = text.replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-");
      const earlier = anchors.get(anchor) ?? 0;
      anchors.set(anchor, earlier + 1);
      return earlier === 0 ? anchor : `${anchor}-${earlier}`;
    }),
  );
};

const anchors = new Map(documents.map((document) => [document, anchorsIn(document)]));

const isBroken = (path: string, anchor: string): boolean =>
  !existsSync(join(ROOT, path)) || (anchor !== "" && anchors.get(path)?.has(anchor) === false);

test.each(documents)("%s has no broken links", (document) => {
  const links = [...proseOf(document).matchAll(/\]\((?![a-z]+:)([^)\s#]*)#?([^)\s]*)\)/g)];
  const broken = links.filter(([, path = "", anchor = ""]) =>
    isBroken(path === "" ? document : join(dirname(document), path), anchor),
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

test("the list at the beginning of operations.md names every part of it", () => {
  const [list = "", ...parts] = proseOf("docs/operations.md").split(/^## /m);
  const linked = [...list.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor);
  const headings = parts.map((part) => part.split("\n", 1)[0]?.toLowerCase().replaceAll(" ", "-"));
  expect(headings.filter((heading) => !linked.includes(heading))).toEqual([]);
});

test("the runbooks of the alerts exist", () => {
  const rules = readFileSync(join(ROOT, "deploy/prometheus/rules/postern-alerts.yml"), "utf8");
  const runbooks = [...rules.matchAll(/\/blob\/main\/([^#\s]+)#(\S+)/g)];
  expect(runbooks.length).toBeGreaterThan(20);
  expect(runbooks.filter(([, path = "", anchor = ""]) => isBroken(path, anchor))).toEqual([]);
});

/** Readers of the others create files, or see those of other programs. */
const ABOUT_THE_SOURCE = ["docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md"];

const sources = new Set(
  globSync("{packages,packaging,bench,scripts,examples}/**/*.{ts,sql}", {
    cwd: ROOT,
    exclude: ["**/node_modules", "**/dist"],
  }).map((file) => basename(file)),
);

test.each([...ABOUT_THE_SOURCE, ...documents.filter((document) => document.startsWith("docs/decisions/"))])(
  "every source file that %s names exists",
  (document) => {
    const named = [...proseOf(document).matchAll(/`([\w./-]+\.(?:ts|sql))`/g)].map(([, file = ""]) => file);
    expect(named.filter((file) => !sources.has(basename(file)))).toEqual([]);
  },
);
