import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, inject, test } from "vitest";
import * as z from "zod";
import { descriptions } from "../../packages/server/src/configuration/variables.ts";
import { block } from "../../scripts/document-blocks.ts";
import { checkout } from "./checkout.ts";

const { out, version } = inject("server");
const tgz = `postern-${version}.tgz`;
const zip = `postern-lambda-${version}.zip`;

const unpacked = newDirectory();
execFileSync("tar", ["-xzf", join(out, tgz), "-C", unpacked]);
const folder = join(unpacked, `postern-${version}`);
const read = (path: string): string => readFileSync(join(folder, path), "utf8");

const functions = newDirectory();
execFileSync("python3", ["-m", "zipfile", "-e", join(out, zip), functions]);
const functionLicenses = readFileSync(join(functions, "THIRD-PARTY-LICENSES.txt"), "utf8");

/** The packages whose licenses are in a file. */
const namesIn = (licenses: string): readonly string[] =>
  [...licenses.matchAll(/^(@?[a-z][\w./-]*) \d+\.\d+\.\d+\S* \(/gim)].map(([, name = ""]) => name);

test("the same sources produce the same bytes in another folder", () => {
  execFileSync(process.execPath, ["scripts/build/build.ts"], { cwd: checkout });
  for (const file of [tgz, zip].flatMap((name) => [name, `${name}.sha256`])) {
    const again = readFileSync(join(checkout, "out", file));
    expect(again.equals(readFileSync(join(out, file))), file).toBe(true);
  }
});

test("the functions are in a ZIP file, with source maps and licenses beside the program", () => {
  const files = globSync("*", { cwd: functions });
  expect(files).toEqual(expect.arrayContaining(["index.mjs", "index.mjs.map", "LICENSE"]));
  expect(namesIn(functionLicenses)).toEqual(
    expect.arrayContaining(["fastify", "ioredis", "mailauth", "zod"]),
  );
  expect(namesIn(functionLicenses)).not.toContain("prom-client");
});

test("has one folder, owned by root, that others can read but not write", () => {
  expect(globSync("*", { cwd: unpacked })).toEqual([`postern-${version}`]);
  const listed = execFileSync("tar", ["-tvzf", join(out, tgz)], { encoding: "utf8" })
    .trim()
    .split("\n");
  expect(listed.length).toBeGreaterThan(20);
  for (const line of listed) expect(line).toMatch(/^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root\/root /);
});

test("contains what docs/operations.md lists, and nothing else", () => {
  const [, after = ""] = readFileSync(join(checkout, "docs/operations.md"), "utf8").split("\n### Building\n");
  const [section = ""] = after.split("\n#");
  const parts = [...section.matchAll(/^\| ((?:`[^`]+`(?:, )?)+) +\|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
  expect(parts).toContain("dist");
  const files = globSync("**/*", { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
  for (const part of [...parts, "package.json"]) {
    expect(
      files.some((file) => file === part || file.startsWith(`${part}/`)),
      part,
    ).toBe(true);
  }
  for (const file of files) {
    expect(
      [...parts, "package.json"].some((part) => file === part || file.startsWith(`${part}/`)),
      file,
    ).toBe(true);
  }
});

test("its documents link to files in it, or to files of the repository", () => {
  const documents = globSync("docs/*.md", { cwd: folder });
  expect(documents).toContain("docs/first-server.md");
  const broken = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)|\/postern\/postern\/blob\/main\/([^)\s#]+)/g)]
      .filter(([, here, repository = ""]) =>
        here === undefined
          ? !existsSync(join(checkout, repository))
          : !existsSync(join(folder, "docs", here)),
      )
      .map(([link]) => `${document}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("docs/operations.md installs this version", () => {
  expect(block("docs/operations.md", "Installing")).toContain(`VERSION=${version}\n`);
});

test("contains every migration and the changelog unchanged", () => {
  const sources = {
    postgres: "packages/adapter-postgres/src/migrations",
    sqlite: "packages/adapter-sqlite/src/migrations",
    "sqlite-spool": "packages/adapter-sqlite/src/spool-migrations",
  };
  expect(globSync("*", { cwd: join(folder, "migrations") }).sort()).toEqual(Object.keys(sources).sort());
  for (const [store, directory] of Object.entries(sources)) {
    const source = join(checkout, directory);
    const migrations = globSync("*.sql", { cwd: source });
    expect(migrations).not.toEqual([]);
    expect(globSync("*", { cwd: join(folder, "migrations", store) }).sort()).toEqual(migrations.sort());
    for (const file of migrations) {
      expect(read(`migrations/${store}/${file}`)).toBe(readFileSync(join(source, file), "utf8"));
    }
  }
  expect(read("CHANGELOG.md")).toBe(readFileSync(join(checkout, "CHANGELOG.md"), "utf8"));
});

const Manifest = z.object({ name: z.string(), dependencies: z.record(z.string(), z.string()).default({}) });

/** The third-party packages that the server, and our packages that it depends on, declare as dependencies. */
const dependencies = (name = "@postern/server"): readonly string[] => {
  const file = join(checkout, name.replace("@postern/", "packages/"), "package.json");
  return Object.keys(Manifest.parse(JSON.parse(readFileSync(file, "utf8"))).dependencies).flatMap(
    (dependency) => (dependency.startsWith("@postern/") ? dependencies(dependency) : dependency),
  );
};

test("has the license of every package in the bundle", () => {
  // The bundler writes this comment where the code of most modules begins.
  const MODULE =
    /^\s*\/\/ (?:node_modules\/\.pnpm\/(\S+?)\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)|packages)\/\S+$/gm;
  const bundle = globSync("dist/*.js", { cwd: folder })
    .map((file) => read(file))
    .join("\n");
  const packages = new Set(
    [...bundle.matchAll(MODULE)].flatMap(([, installed = "", name]) => {
      const version = /^@?[^@]+@([^_]+)/.exec(installed)?.[1];
      return name === undefined ? [] : `${name} ${version}`;
    }),
  );
  expect(packages.size).toBeGreaterThan(90);

  const sections = read("THIRD-PARTY-LICENSES.txt")
    .split(`\n${"=".repeat(80)}\n\n`)
    .slice(1);
  const licensed = new Set<string>();
  for (const section of sections) {
    const [names = "", ...text] = section.split("\n\n");
    for (const line of names.split("\n")) licensed.add(line.replace(/ \(.+\)$/, ""));
    expect(text.join("\n\n"), names).toMatch(/permission|redistribution|TERMS AND CONDITIONS/i);
  }
  expect([...packages].filter((name) => !licensed.has(name))).toEqual([]);
  const names = new Set([...licensed].map((name) => name.split(" ")[0]));
  const ofFunctions = namesIn(functionLicenses);
  expect(dependencies().filter((name) => !names.has(name) && !ofFunctions.includes(name))).toEqual([]);
  // The bundlers add code of their own.
  for (const name of ["rolldown", "vite"]) expect(names).toContain(name);
  // The browser app names no packages.
  for (const name of ["preact", "@preact/signals", "@tanstack/preact-query"]) expect(names).toContain(name);
  expect(read("LICENSE")).toBe(readFileSync(join(checkout, "LICENSE"), "utf8"));
});

test("the example environment file has every variable once, and sets only the required ones, to an empty value", () => {
  const example = read("postern.env.example");
  const names = [...example.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(names).toEqual(descriptions.map(({ name }) => name));
  const required = descriptions.filter(({ unset }) => unset === "required").map(({ name }) => [name, ""]);
  expect(required.length).toBeGreaterThan(5);
  expect(parseEnv(example)).toEqual(Object.fromEntries(required));
});

/** The files of the program that are loaded with one of them, before any code in it runs. */
const loadedWith = (file: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(file)) return found;
  found.add(file);
  const imports = read(`dist/${file}`).matchAll(/^import (?:.* from )?"\.\/([^"]+)";$/gm);
  for (const [, imported = ""] of imports) loadedWith(imported, found);
  return found;
};

/** The bundler names the source of each module in a comment. */
const packagesIn = (files: ReadonlySet<string>): readonly string[] => {
  const comments = /^\s*\/\/ (?:#region )?node_modules\/\.pnpm\/((?:@[^@/+]+\+)?[^@/]+)@/gm;
  const texts = [...files].map((file) => read(`dist/${file}`));
  return [
    ...new Set(texts.flatMap((text) => [...text.matchAll(comments)].map(([, name = ""]) => name))),
  ].sort();
};

test("neither commands nor the server load packages that they do not use", () => {
  expect(packagesIn(loadedWith("run.js"))).toEqual(["neverthrow", "zod"]);
  const all = packagesIn(new Set(globSync("*.js", { cwd: join(folder, "dist") })));
  const server = packagesIn(loadedWith("start-server.js"));
  expect(server).toContain("fastify");
  for (const optional of ["@aws-sdk+client-dynamodb", "pg", "ioredis", "prom-client"]) {
    expect(all).toContain(optional);
    expect(server).not.toContain(optional);
  }
});
