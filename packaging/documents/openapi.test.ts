import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { beforeAll, expect, test } from "vitest";
import { run } from "../run.ts";

/* What others make of docs/openapi.json. Their programs are installed here: together, they have 300 packages. */

const TOOLS = {
  "@hey-api/openapi-ts": "0.99.0",
  "@redocly/cli": "2.77.0",
  "@stoplight/spectral-cli": "6.16.3",
  "openapi-typescript": "7.13.0",
  orval: "8.38.0",
  // openapi-typescript does not run with TypeScript 7.
  typescript: "5.9.3",
};

const FILES = {
  "package.json": { private: true, type: "module", dependencies: TOOLS },
  "redocly.yaml": { extends: ["recommended-strict"] },
  "spectral.json": { extends: ["spectral:oas"] },
  "tsconfig.json": {
    compilerOptions: {
      strict: true,
      noEmit: true,
      target: "es2023",
      lib: ["es2023", "dom", "dom.iterable"],
      module: "esnext",
      moduleResolution: "bundler",
      types: [],
    },
    include: ["made"],
  },
};

const folder = join(newDirectory(), "tools");

/** Runs a program of one of the packages on the document. */
const tool = (program: string, ...parameters: string[]): Promise<void> =>
  run(process.execPath, [join("node_modules", program), ...parameters], folder);

beforeAll(async () => {
  mkdirSync(join(folder, "made"), { recursive: true });
  cpSync(join(import.meta.dirname, "../../docs/openapi.json"), join(folder, "openapi.json"));
  for (const [name, json] of Object.entries(FILES)) writeFileSync(join(folder, name), JSON.stringify(json));
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
});

test("Redocly finds nothing by its strictest rules", () =>
  tool(
    "@redocly/cli/bin/cli.js",
    "lint",
    "--config",
    "redocly.yaml",
    "--max-problems",
    "10",
    "openapi.json",
  ));

test("Spectral finds nothing", () =>
  tool("@stoplight/spectral-cli/dist/index.js", "lint", "-r", "spectral.json", "-F", "hint", "openapi.json"));

test("what generators make of it compiles, and says of everything what it is", async () => {
  await tool("openapi-typescript/bin/cli.js", "openapi.json", "-o", "made/types.ts");
  await tool("@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "made/hey-api");
  await tool(
    "orval/dist/bin/orval.mjs",
    "--input",
    "openapi.json",
    "--output",
    "made/orval.ts",
    "--client",
    "fetch",
  );
  await tool("typescript/bin/tsc", "-p", ".");
  for (const made of ["made/types.ts", "made/hey-api/types.gen.ts"]) {
    const types = readFileSync(join(folder, made), "utf8")
      .replaceAll(/\/\*.*?\*\/|"[^"]*"|'[^']*'/gs, "")
      // Headers that the document does not name.
      .replaceAll("[name: string]: unknown;", "");
    expect(types.match(/.*\b(?:any|unknown)\b.*/)).toBeNull();
  }
});
