import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const exclude = ["**/node_modules", "**/dist"];
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const documents = globSync(["*.md", "docs/**/*.md", "packages/*/README.md", "bench/*.md", "examples/*.md"], {
  cwd: ROOT,
  exclude,
}).sort();

/** The text of a document, without its fenced blocks. */
const proseOf = (document: string): string => read(document).replaceAll(/^( *)```.*?^\1```$/gms, "");

/** The anchors that GitHub gives to the headings of a document: of two equal ones, the second ends with `-1`. */
const anchorsIn = (document: string): ReadonlySet<string> => {
  const anchors: string[] = [];
  for (const [, heading = ""] of proseOf(document).matchAll(/^#+ (.+)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = text.replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-");
    const others = anchors.filter((each) => each === anchor || each.startsWith(`${anchor}-`)).length;
    anchors.push(anchors.includes(anchor) ? `${anchor}-${others}` : anchor);
  }
  return new Set(anchors);
};

const isBroken = (path: string, anchor: string): boolean =>
  !existsSync(join(ROOT, path)) || (anchor !== "" && path.endsWith(".md") && !anchorsIn(path).has(anchor));

describe.each(documents)("%s", (document) => {
  test("has no broken links", () => {
    const links = [...proseOf(document).matchAll(/\]\((?![a-z]+:)([^)\s#]*)#?([^)\s]*)\)/g)];
    const broken = links.filter(([, path = "", anchor = ""]) =>
      isBroken(path === "" ? document : join(dirname(document), path), anchor),
    );
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

test("the runbooks of the alerts exist", () => {
  const rules = read("deploy/prometheus/rules/postern-alerts.yml");
  const runbooks = [...rules.matchAll(/\/blob\/main\/([^#\s]+)#(\S+)/g)];
  expect(runbooks.length).toBeGreaterThan(20);
  expect(runbooks.filter(([, path = "", anchor = ""]) => isBroken(path, anchor))).toEqual([]);
});

/** Readers of the others create files, or see those of other programs. */
const ABOUT_THE_SOURCE = ["docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md"];

test.each([...ABOUT_THE_SOURCE, ...documents.filter((document) => document.startsWith("docs/decisions/"))])(
  "every source file that %s names exists",
  (document) => {
    const files = globSync("{packages,packaging,bench,scripts,examples}/**/*.{ts,sql}", {
      cwd: ROOT,
      exclude,
    });
    const names = new Set(files.map((file) => basename(file)));
    const named = [...proseOf(document).matchAll(/`([\w./-]+\.(?:ts|sql))`/g)].map(([, file = ""]) => file);
    expect(named.filter((file) => !names.has(basename(file)))).toEqual([]);
  },
);
