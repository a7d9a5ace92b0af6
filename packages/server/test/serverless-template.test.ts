import { runsWhole } from "@postern/test-support/runs-whole";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { serverlessTemplate } from "../../../scripts/serverless/template.ts";
import { checkTemplate } from "./support/cloudformation/check-template.ts";
import { json, template } from "./support/cloudformation/our-template.ts";

test("deploy/serverless/template.json is what the scripts write", () => {
  // If this fails: npx -y pnpm@12 serverless
  expect(json).toBe(serverlessTemplate());
});

describe("what CloudFormation checks", () => {
  const { problems, members } = checkTemplate(json);

  test("nothing is wrong with the template", () => {
    expect(problems).toEqual([]);
    expect(members.length).toBeGreaterThan(500);
  });

  /** Changes what is at a path of a copy of the template. */
  const changed = (
    path: readonly string[],
    change: (parent: Record<string, unknown>, name: string) => void,
  ): string => {
    const copy = structuredClone(template);
    const parent = path.slice(0, -1).reduce<unknown>((at, name) => Object(at)[name], copy);
    change(Object(parent), path.at(-1) ?? "");
    return JSON.stringify(copy);
  };

  const WRONG: Readonly<Record<string, unknown>> = {
    string: true,
    "date-time": true,
    json: true,
    array: "x",
    map: [],
    union: 1,
  };

  /** Each way to break a member of a resource. */
  const brokenMembers = members.flatMap(({ path, type, required }) => [
    {
      what: `${path.join(".")} is misspelled`,
      broken: () =>
        changed(path, (parent, name) => {
          parent[`${name}x`] = parent[name];
          delete parent[name];
        }),
    },
    {
      what: `${path.join(".")} has another type`,
      broken: () => changed(path, (parent, name) => (parent[name] = WRONG[type.type] ?? "wrong")),
    },
    ...(required
      ? [
          {
            what: `${path.join(".")} is missing`,
            broken: () => changed(path, (parent, name) => delete parent[name]),
          },
        ]
      : []),
  ]);

  /** Each reference, led to something that does not exist. */
  const brokenReferences = [
    ...[...json.matchAll(/(?<="Ref": ")(?!AWS::)\w+/g)],
    ...[...json.matchAll(/(?<="Fn::GetAtt": \[\s*")\w+|(?<="Fn::GetAtt": \[\s*"\w+",\s*")\w+/g)],
    ...[...json.matchAll(/(?<="Fn::Sub": [^\n]*\$\{)(?!AWS::|Api\})[\w.]+/g)],
    ...[...json.matchAll(/(?<="(?:DependsOn|Condition)": ")\w+/g)],
    ...[...json.matchAll(/(?<="Fn::If": \[\s*")\w+/g)],
  ].map(({ 0: name, index }) => ({
    what: `${name} at ${index} does not exist`,
    broken: () => `${json.slice(0, index)}${name}x${json.slice(index + name.length)}`,
  }));

  const breaks = [
    ...brokenMembers,
    ...brokenReferences,
    {
      what: "a type does not exist",
      broken: () =>
        changed(["Resources", "Table", "Type"], (parent) => (parent["Type"] = "AWS::DynamoDB::Tables")),
    },
    {
      what: "a parameter is not used",
      broken: () =>
        changed(["Parameters", "Other"], (parent) => (parent["Other"] = { Type: "String", Description: "" })),
    },
    {
      what: "a resource depends on itself",
      broken: () =>
        changed(["Resources", "Table", "DependsOn"], (parent) => (parent["DependsOn"] = "ApiFunction")),
    },
    {
      what: "what exists only for a REST API is used by all",
      broken: () =>
        changed(["Outputs", "Issuer", "Value"], (parent) => (parent["Value"] = { Ref: "RestApi" })),
    },
  ];

  test("whatever else is broken, the check notices", () => {
    const found = ({ broken }: (typeof breaks)[number]) => checkTemplate(broken()).problems.length > 0;
    if (runsWhole(import.meta.url)) {
      expect(breaks.filter((each) => !found(each)).map(({ what }) => what)).toEqual([]);
      return;
    }
    fc.assert(
      fc.property(fc.constantFrom(...breaks), (each) => {
        expect([each.what, found(each)]).toEqual([each.what, true]);
      }),
    );
  });
});
