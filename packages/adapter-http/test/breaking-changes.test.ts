import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test } from "vitest";
import { openApiDocument } from "../src/index.ts";
import { breakingChanges } from "./support/breaking-changes.ts";
import { isDescribed, resolved } from "./support/described.ts";
import { lastRelease } from "./support/last-release.ts";

const ROOT = new URL("../../../", import.meta.url);
const document = openApiDocument();

/** The changes since a version that its clients are not told of by a line `- Breaking: …` that names the operation. */
const unannounced = (changes: readonly string[], changelog: string, version: string): readonly string[] => {
  const [since = ""] = changelog.split(`\n## ${version}\n`);
  const told = since.split(/\n(?=- )/).filter((item) => item.startsWith("- Breaking: "));
  return changes.filter((change) => {
    const [operation] = change.split(":");
    return !told.some((item) => item.includes(`\`${operation}\``));
  });
};

test("nothing breaks clients of the last release, unless CHANGELOG.md says so", () => {
  const released = lastRelease(ROOT.pathname);
  // Nothing has been released: there are no such clients.
  if (released === null) return;
  const changes = breakingChanges(resolved(released.document, released.document), resolved(document));
  const changelog = readFileSync(new URL("CHANGELOG.md", ROOT), "utf8");
  expect(unannounced(changes, changelog, released.version)).toEqual([]);
});

test("the last release is that of the highest version", () => {
  const repository = newDirectory();
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: repository });
  git("init", "--quiet");
  expect(lastRelease(repository)).toBeNull();
  mkdirSync(`${repository}/docs`);
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@home.example"];
  for (const version of ["0.2.0", "0.10.0", "0.9.0"]) {
    writeFileSync(`${repository}/docs/openapi.json`, JSON.stringify({ version }));
    git("add", ".");
    git(...author, "commit", "--quiet", "--message", version);
    git("tag", `@postern/adapter-http@${version}`);
    git("tag", `@postern/core@${version}`);
  }
  expect(lastRelease(repository)).toEqual({ version: "0.10.0", document: { version: "0.10.0" } });
});

test("a breaking change is announced by a line of the changelog since then that names the operation", () => {
  const changelog = `# Changelog

## Unreleased

- Breaking: \`getAlias\` has no \`active\`,
  nor has \`listAliases\`.
- \`health\` is faster.

## 0.1.0

- Breaking: \`getContact\`
`;
  const changes = ["getAlias: x", "listAliases: x", "health: x", "getContact: x", "get: x"];
  expect(unannounced(changes, changelog, "0.1.0")).toEqual(["health: x", "getContact: x", "get: x"]);
});

type Edit = readonly [path: readonly string[], value: unknown];

/** The document with other values at these places; `undefined` removes what is there. */
const edited = (edits: readonly Edit[]): unknown => {
  const copy: unknown = JSON.parse(JSON.stringify(document));
  for (const [path, value] of edits) {
    const name = path.at(-1) ?? "";
    let holder = copy;
    for (const step of path.slice(0, -1)) {
      holder = Array.isArray(holder) ? holder[Number(step)] : isDescribed(holder) ? holder[step] : undefined;
    }
    if (typeof holder !== "object" || holder === null) throw new Error(`There is no ${path.join(".")}`);
    if (value === undefined) Reflect.deleteProperty(holder, name);
    else Reflect.set(holder, name, value);
  }
  return copy;
};

const at = (path: string, value: unknown): Edit => [path.split(" "), value];
const TEXT = { type: "string" };
const inSchema = (path: string, value: unknown): Edit => at(`components schemas ${path}`, value);

const BREAKING: readonly (readonly [what: string, edits: readonly Edit[], found: string])[] = [
  ["an operation is removed", [at("paths /aliases get", undefined)], "listAliases: is gone"],
  [
    "one is renamed",
    [at("paths /aliases get operationId", "aliases")],
    "listAliases: has another operationId",
  ],
  ["a token is needed", [at("paths /health get security", undefined)], "health: needs a token"],
  [
    "a parameter is required",
    [at("components parameters QueryQ required", true)],
    "listAliases: query q is required",
  ],
  ["a parameter is removed", [at("paths /aliases get parameters", [])], "listAliases: query q is not known"],
  [
    "a parameter is limited",
    [at("components parameters QueryLimit schema maximum", 50)],
    "listContacts: query limit has another maximum",
  ],
  [
    "an id has another form",
    [at("components parameters PathContactId schema pattern", "^x$")],
    "getContact: path contact_id has another pattern",
  ],
  [
    "a member of a body is required",
    [inSchema("UpdateAlias required", ["active"])],
    "updateAlias: body.active can be missing",
  ],
  [
    "a member of a body is removed",
    [inSchema("CreateContact properties", { address: TEXT }), inSchema("CreateContact required", [])],
    "createContact: body.email is not known",
  ],
  [
    "a body may not lack",
    [at("paths /aliases/{alias_id}/restore post requestBody required", true)],
    "restoreAlias: body is required",
  ],
  [
    "a value is refused",
    [inSchema("Blocking enum", ["none", "reject"])],
    "updateContact: body.blocking can be discard",
  ],
  [
    "one form of a body is refused",
    [inSchema("CreateAlias oneOf 1", undefined)],
    "createAlias: body.alias_email can be missing",
  ],
  [
    "a merge patch is refused",
    [at("paths /webhooks/{webhook_id} patch requestBody content application/merge-patch+json", undefined)],
    "updateWebhook: body cannot be application/merge-patch+json",
  ],
  [
    "success has another status",
    [at("paths /webhooks post responses 201", undefined)],
    "createWebhook: answer 201 is gone",
  ],
  [
    "a member of an answer may be missing",
    [inSchema("Alias required", ["alias_id"])],
    "getAlias: answer 200.active can be missing",
  ],
  [
    "one has another type",
    [inSchema("Alias properties active type", "string")],
    "getAlias: answer 200.active can be string, not only boolean",
  ],
  [
    "one may be null",
    [inSchema("Alias properties description", { anyOf: [TEXT, { type: "null" }] })],
    "getAlias: answer 200.description can be null, not only string",
  ],
  [
    "a list has other items",
    [inSchema("AliasPage properties aliases items", TEXT)],
    "listAliases: answer 200.aliases[] can be string, not only object",
  ],
  [
    "a header is not always there",
    [at("components headers ETag required", false)],
    "getAlias: answer 200 can lack the header ETag",
  ],
  [
    "a problem says less",
    [inSchema("too_many_aliases allOf 1 required", ["code"])],
    "createAlias: answer 403 too_many_aliases.limit can be missing",
  ],
  [
    "an event says less",
    [inSchema("TestEvent required", ["type"])],
    "event: body webhook.test.data can be missing",
  ],
];

test.each(BREAKING)("%s: that breaks clients", (_, edits, found) => {
  const after = edited(edits);
  expect(breakingChanges(resolved(document), resolved(after, after))).toContain(found);
});

const HARMLESS: readonly (readonly [what: string, edits: readonly Edit[]])[] = [
  ["nothing", []],
  ["an operation", [at("paths /new", { get: { operationId: "new", responses: {} } })]],
  ["a member of an answer", [inSchema("Alias properties color", TEXT)]],
  ["an optional member of a body", [inSchema("CreateContact properties color", TEXT)]],
  [
    "an optional parameter",
    [at("paths /webhooks get parameters", [{ name: "q", in: "query", schema: TEXT }])],
  ],
  ["a higher limit", [at("components parameters QueryLimit schema maximum", 200)]],
  ["a state", [inSchema("CopyState enum", ["queued", "sent", "lost"])]],
  ["a value in a body", [inSchema("Blocking enum", ["none", "reject", "discard", "ask"])]],
  [
    "a problem",
    [
      at("components responses AliasNotFound content application/problem+json schema", {
        oneOf: [
          { $ref: "#/components/schemas/alias_not_found" },
          { $ref: "#/components/schemas/contact_not_found" },
        ],
      }),
    ],
  ],
  [
    "a problem with a new status",
    [at("paths /aliases get responses 418", { $ref: "#/components/responses/AliasNotFound" })],
  ],
  [
    "an event",
    [
      inSchema("AliasEvent properties type enum", [
        "alias.created",
        "alias.updated",
        "alias.deleted",
        "alias.renamed",
      ]),
    ],
  ],
  ["words", [inSchema("Alias description", "An alias"), inSchema("Alias examples", [{}])]],
];

test.each(HARMLESS)("%s can be added", (_, edits) => {
  const after = edited(edits);
  expect(breakingChanges(resolved(document), resolved(after, after))).toEqual([]);
});
