import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { startLambdaFunction } from "@postern/test-support/lambda-function";
import { bundleLambda } from "../../scripts/build/bundle.ts";
import { ROOT, writeFiles } from "../../scripts/build/server-files.ts";
import { atMost, rowOf } from "../report/row.ts";
import { median } from "../report/statistics.ts";
import { DOMAIN } from "../support/fixture.ts";
import type { Path } from "../support/path.ts";

const PROCESSES = 10;

/** How many requests follow the first one in each process. */
const WARM_REQUESTS = 50;

/** The newest Node of the version that runs functions. */
const installNode24 = (folder: string): string => {
  execFileSync("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", "node@24"], {
    stdio: "pipe",
  });
  return join(folder, "node_modules/node/bin/node");
};

/** The event of a request for the list of aliases, which an HTTP API has let in. */
const listEvent = (token: string) => {
  const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  return {
    version: "2.0",
    rawPath: "/v1/aliases",
    rawQueryString: "",
    headers: { authorization: `Bearer ${token}` },
    requestContext: {
      stage: "$default",
      http: { method: "GET", sourceIp: "192.0.2.1" },
      authorizer: { jwt: { claims } },
    },
    isBase64Encoded: false,
  };
};

export const lambda: Path = {
  name: "lambda",
  about: `The function index.api on Node 24, DynamoDB Local on the same machine, GET /aliases: ${PROCESSES} processes, one after the other`,
  run: async ({ setup: { directory, issuer, audience }, token }) => {
    const folder = join(directory, "lambda");
    writeFiles(folder, (await bundleLambda(ROOT)).files);
    const node = installNode24(join(directory, "node-24"));
    // Only this path and one other need it, and Java.
    const { startDynamoDbLocal } = await import("@postern/test-support/dynamodb-local");
    const local = await startDynamoDbLocal();
    const variables = {
      POSTERN_STORE: "dynamodb",
      POSTERN_DYNAMODB_ENDPOINT: local.endpoint,
      POSTERN_DYNAMODB_TABLE: await local.newTable(),
      POSTERN_ISSUER: issuer,
      POSTERN_AUDIENCE: audience,
      POSTERN_ALIAS_DOMAINS: DOMAIN,
      POSTERN_PUBLIC_URL: "https://postern.test",
      POSTERN_LINK_SECRET: "0123456789abcdef0123456789abcdef",
      POSTERN_SMTP_URL: "ses://eu-central-1",
      POSTERN_MAIL_FROM: "postern@postern.test",
      POSTERN_RATE_LIMIT: "0",
      POSTERN_CREATION_LIMIT: "0",
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    };
    const event = listEvent(token("account"));
    const [loading, first, warm]: [number[], number[], number[]] = [[], [], []];
    try {
      for (let count = 0; count < PROCESSES; count += 1) {
        const instance = await startLambdaFunction({
          folder,
          handler: "index.api",
          variables,
          node: [node],
        });
        const times: number[] = [];
        for (let sent = 0; sent <= WARM_REQUESTS; sent += 1) {
          const start = performance.now();
          const invoked = await instance.invoke(event);
          times.push(performance.now() - start);
          if (!JSON.stringify(invoked).includes('"statusCode":200')) throw new Error(JSON.stringify(invoked));
        }
        const [begin = Number.NaN, ...later] = times;
        loading.push(instance.loadingCpuMs);
        first.push(begin);
        warm.push(median(later));
        await instance.stop();
      }
    } finally {
      await local.stop();
    }
    const path = "the API as a function";
    return {
      rows: [
        rowOf({ path, what: "CPU time to load it", goal: atMost(160, "ms") }, loading),
        rowOf({ path, what: "time to the first response, once loaded", goal: atMost(60, "ms") }, first),
        rowOf({ path, what: "time to a later response", goal: atMost(5, "ms") }, warm),
      ],
      rounds: [],
    };
  },
};
