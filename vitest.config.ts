import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { NightReporter } from "./packages/test-support/src/night-reporter.ts";
import { isTouched, NIGHT, wholeFiles } from "./packages/test-support/src/whole-files.ts";

/** The files of the HTTP suite that open a world and ask its store for more than an answer. */
const HTTP_ON_ANY_STORE =
  "packages/adapter-http/test/{alias,aliases,reassign,recipient,recipients,replace-recipients,verification}.test.ts";

/** Further files of the HTTP suite whose worlds the built function can have, and whose requests a gateway lets through. */
const HTTP_BEHIND_A_GATEWAY =
  "packages/adapter-http/test/{alias-page,alias-rules,blocked-senders,contacts,cross-origin,messages,suspension,verify-page}.test.ts";

/** By day, `every-route.test.ts` is enough, unless the change touches the store, or the way to functions. */
const runsHttpOn = (adapter: "sqlite" | "dynamodb" | "lambda"): boolean =>
  NIGHT || isTouched(`packages/adapter-${adapter}/src/index.ts`);

/** Ensures that there is Java for DynamoDB Local. */
const JAVA = "packages/test-support/src/java.ts";
/** Ensures that the other programs that tests run are installed. */
const PROGRAMS = "packages/test-support/src/programs.ts";

/** Starts a DynamoDB Local for all files of a project, when the first one asks for it. */
const DYNAMODB = "packages/test-support/src/start-dynamodb.ts";

/** Likewise PostgreSQL. */
const POSTGRES = "packages/test-support/src/start-postgres.ts";

/** Builds the server, when the first file asks for it. */
const BUILT_SERVER = "packages/test-support/src/build-server.ts";

/** The whole contract on PGlite takes minutes. */
const SLOW_EXAMPLE = "examples/postgres-store.test.ts";
const runsSlowExample = NIGHT || isTouched(SLOW_EXAMPLE);

const LEFT_OUT = [
  ...(runsHttpOn("sqlite") ? [] : ["the HTTP suite on SQLite"]),
  ...(runsHttpOn("dynamodb") ? [] : ["the HTTP suite on DynamoDB"]),
  ...(runsHttpOn("lambda") ? [] : ["the HTTP suite behind API Gateway"]),
  ...(runsSlowExample ? [] : [SLOW_EXAMPLE]),
];

const HTTP_ON_SQLITE: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: "http on sqlite", include: [HTTP_ON_ANY_STORE], env: { POSTERN_STORE: "sqlite" } },
};

const HTTP_ON_DYNAMODB: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "http on dynamodb",
    include: [HTTP_ON_ANY_STORE],
    env: { POSTERN_STORE: "dynamodb" },
    globalSetup: [JAVA, DYNAMODB],
  },
};

/** As a Lambda function, behind each kind of API Gateway; by night, as the built one, wherever that is possible. */
const HTTP_BEHIND_GATEWAYS = ["rest", "http-1.0", "http-2.0"].map(
  (kind): TestProjectInlineConfiguration => ({
    extends: true,
    test: {
      name: `http behind ${kind}`,
      include: [HTTP_ON_ANY_STORE, HTTP_BEHIND_A_GATEWAY],
      env: { POSTERN_STORE: "memory", POSTERN_GATEWAY: kind, ...(NIGHT && { POSTERN_FUNCTION: "built" }) },
      globalSetup: NIGHT ? [JAVA, DYNAMODB, BUILT_SERVER] : [],
    },
  }),
);

/**
 * Begins with the contract on each store and spool, which takes minutes. Vitest would begin with the largest files, as long as it does not
 * know how long each took, and these are the smallest.
 */
class ContractsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isContract = ({ moduleId }: TestSpecification) =>
      /\btest(Store|Spool)\(/.test(readFileSync(moduleId, "utf8"));
    return [...sorted.filter(isContract), ...sorted.filter((file) => !isContract(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: ContractsFirst },
    reporters: ["default", new NightReporter(LEFT_OUT)],
    // Only a failing test waits this long. On a busy machine, DynamoDB Local alone can take a minute to start.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Loading all modules anew for each file would take a quarter of the CPU time. So no test may replace modules (`vi.mock`).
    isolate: false,
    // Spies and changed environment variables last for one test.
    restoreMocks: true,
    unstubEnvs: true,
    setupFiles: ["packages/test-support/src/each-file.ts"],
    // By default one core stays free. But many tests wait for other processes: two workers use two thirds of two cores.
    maxWorkers: availableParallelism() + 1,
    provide: { wholeFiles },
    coverage: {
      enabled: process.env["CI"] !== undefined,
      reporter: ["text-summary", "html"],
      // Of everything else, lines that run show little: what matters there is what happens under load, faults and crashes.
      include: ["packages/{core,mail}/src/**/*.ts"],
      thresholds: { lines: 100 },
    },
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["packages/*/test/**/*.test.ts", "examples/**/*.test.ts", "bench/test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...(runsSlowExample ? [] : [SLOW_EXAMPLE])],
          env: { POSTERN_STORE: "memory" },
          globalSetup: [JAVA, PROGRAMS, DYNAMODB, POSTGRES, BUILT_SERVER],
        },
      },
      ...(runsHttpOn("sqlite") ? [HTTP_ON_SQLITE] : []),
      ...(runsHttpOn("dynamodb") ? [HTTP_ON_DYNAMODB] : []),
      ...(runsHttpOn("lambda") ? HTTP_BEHIND_GATEWAYS : []),
    ],
  },
});
