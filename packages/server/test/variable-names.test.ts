import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { descriptions } from "../src/configuration/variables.ts";

/* What no compiler sees: names of variables within texts and comments. */

const SOURCES = join(import.meta.dirname, "../src");

/** A name as messages and comments write it. `HOST` and `PORT` alone are too common to be looked for, except as a whole string. */
const NAME = /\bPOSTERN_\w*[A-Z0-9]\b|\bAWS_REGION\b|"(?:HOST|PORT)"/g;

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/ .*/g;

const sources = globSync("**/*.ts", { cwd: SOURCES }).map((file) => ({
  file,
  text: readFileSync(join(SOURCES, file), "utf8"),
}));

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(NAME)].map(([name]) => name.replaceAll('"', ""));

test("configuration/names.ts names each variable once, and no other code names any", () => {
  const named = sources.flatMap(({ file, text }) =>
    namesIn(text.replaceAll(COMMENT, "")).map((name) => `${file} ${name}`),
  );
  const all = descriptions.map(({ name }) => name).filter((name) => !name.endsWith("_FILE"));
  expect(named.toSorted()).toEqual(all.map((name) => `configuration/names.ts ${name}`).toSorted());
});

test("comments name only variables that exist, except as examples of what a cluster sets", () => {
  const known = new Set(descriptions.map(({ name }) => name));
  const unknown = sources
    .filter(({ file }) => file !== "configuration/service-link.ts")
    .flatMap(({ file, text }) =>
      [...text.matchAll(COMMENT)].flatMap(([comment]) => namesIn(comment)).map((name) => ({ file, name })),
    )
    .filter(({ name }) => !known.has(name));
  expect(unknown).toEqual([]);
});
