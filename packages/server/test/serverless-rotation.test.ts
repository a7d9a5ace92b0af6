import crypto from "node:crypto";
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { parseLinkSecrets } from "@postern/node";
import fc from "fast-check";
import { expect, test } from "vitest";
import { objectsIn, ofType } from "./support/cloudformation/our-template.ts";

type Input = Readonly<Record<string, string>>;

/** A secret in AWS Secrets Manager, as its documentation says; nothing that runs here has that. */
const newSecret = (SecretString: string) => {
  const versions = new Map([["first", { SecretString, stages: new Set(["AWSCURRENT"]) }]]);
  const used = new Set<string>();
  const move = (stage: string, to: string) => {
    for (const { stages } of versions.values()) stages.delete(stage);
    versions.get(to)?.stages.add(stage);
  };
  const at = (stage: string) => [...versions].find(([, { stages }]) => stages.has(stage));
  const commands: Readonly<Record<string, (input: Input) => unknown>> = {
    GetSecretValue: ({ VersionId = "", VersionStage = "" }) => {
      const version = versions.get(VersionId) ?? at(VersionStage)?.[1];
      if (version === undefined) throw Object.assign(new Error(), { name: "ResourceNotFoundException" });
      return { SecretString: version.SecretString };
    },
    PutSecretValue: ({ ClientRequestToken = "", SecretString = "" }) => {
      if ((versions.get(ClientRequestToken)?.SecretString ?? SecretString) !== SecretString)
        throw Object.assign(new Error(), { name: "ResourceExistsException" });
      versions.set(ClientRequestToken, { SecretString, stages: new Set() });
      move("AWSPENDING", ClientRequestToken);
    },
    DescribeSecret: () => ({
      VersionIdsToStages: Object.fromEntries([...versions].map(([id, { stages }]) => [id, [...stages]])),
    }),
    UpdateSecretVersionStage: ({ MoveToVersionId = "", RemoveFromVersionId = "" }) => {
      expect(at("AWSCURRENT")?.[0]).toBe(RemoveFromVersionId);
      move("AWSPREVIOUS", RemoveFromVersionId);
      move("AWSCURRENT", MoveToVersionId);
    },
  };
  const module = {
    SecretsManagerClient: class {
      send = async ({ name, input }: { readonly name: string; readonly input: Input }) => {
        used.add(name);
        return commands[name]?.(input);
      };
    },
    ...Object.fromEntries(
      Object.keys(commands).map((name) => [
        `${name}Command`,
        class {
          readonly name = name;
          readonly input: Input;
          constructor(input: Input) {
            this.input = input;
          }
        },
      ]),
    ),
  };
  return { module, used, current: () => at("AWSCURRENT")?.[1].SecretString.split(",") ?? [] };
};

const [properties = expect.unreachable()] = [ofType("AWS::Lambda::Function").get("RotationFunction")];
const [code = expect.unreachable()] = objectsIn(properties).flatMap(({ ZipFile }) => ZipFile ?? []);

const handlerFor = (secret: ReturnType<typeof newSecret>) => {
  const exports: { handler?: (event: Input) => Promise<void> } = {};
  runInNewContext(String(code), {
    exports,
    require: (name: string) => (name === "node:crypto" ? crypto : secret.module),
  });
  return exports.handler ?? expect.unreachable();
};

const STEPS = ["createSecret", "setSecret", "testSecret", "finishSecret"];

test("no link becomes invalid, whichever steps are repeated, and the secret changes every other time", async () => {
  const rotations = fc.array(fc.array(fc.constantFrom(1, 2, 3), { minLength: 4, maxLength: 4 }), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(rotations, async (rotations) => {
      const secret = newSecret("a".repeat(64));
      const handler = handlerFor(secret);
      const seen = new Set(secret.current());
      for (const [rotation, repeats] of rotations.entries()) {
        const before = secret.current();
        for (const [index, Step] of STEPS.entries())
          for (let call = 0; call < (repeats[index] ?? 1); call++)
            await handler({ SecretId: "links", ClientRequestToken: `rotation-${rotation}`, Step });
        const after = secret.current();
        expect(parseLinkSecrets(after).isOk()).toBe(true);
        expect(after).toHaveLength(2);
        // What encrypts links now was known to every function that has started since the last time, and what did so still is.
        expect(before).toContain(after[0]);
        expect(after).toContain(before[0]);
        expect(after[0] === before[0]).toBe(rotation % 2 === 0);
        expect(seen.has(after[1] ?? "")).toBe(rotation % 2 === 1);
        for (const each of after) seen.add(each);
      }
    }),
  );
});

test("the function has the rights that it uses, and no others", async () => {
  const secret = newSecret("a".repeat(64));
  const handler = handlerFor(secret);
  for (const Step of STEPS) await handler({ SecretId: "links", ClientRequestToken: "one", Step });
  const actions = objectsIn(ofType("AWS::IAM::Role").get("RotationRole") ?? {})
    .flatMap(({ Action }) => [Action ?? []].flat())
    .filter((action) => String(action).startsWith("secretsmanager:"));
  expect(actions).toEqual([...secret.used].map((name) => `secretsmanager:${name}`).toSorted());
});

test("the inline code is the file", () => {
  expect(code).toBe(
    readFileSync(new URL("../../../deploy/serverless/rotate-secret.js", import.meta.url), "utf8"),
  );
  // AWS's limit for code in a template.
  expect(String(code).length).toBeLessThanOrEqual(4096);
});
