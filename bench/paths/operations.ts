import { type Account, Times } from "../functions/account.ts";
import { atMost, type Goal, type Row, rowOf } from "../report/row.ts";
import { ratios } from "../report/statistics.ts";
import type { Path } from "../support/path.ts";
import { type RunningProcess, startProcess } from "../support/start-process.ts";

const FEW = 100;

/** An account, and what each round measured on it. */
type Measured = { readonly process: RunningProcess; readonly replace: number[]; readonly list: number[] };

export const operations: Path = {
  name: "operations",
  about:
    "Operations of the service itself, without HTTP, in one account: replaceRecipients alternating between two disjoint lists, and listAliases with a page of 100; measured by mitata",
  run: async ({ setup: { directory }, effort: { rounds, seconds, many } }) => {
    const started: Measured[] = [];
    const start = async (account: Pick<Account, "store" | "aliases" | "attached">): Promise<Measured> => {
      const argument: Account = { ...account, directory, seconds: seconds / 2 };
      const process = startProcess("functions/operations.ts", [JSON.stringify(argument)], {
        execArgv: ["--expose-gc", "--max-old-space-size=12288"],
      });
      const measured = { process, replace: [], list: [] };
      started.push(measured);
      await process.next();
      return measured;
    };
    try {
      const accounts = {
        memory: {
          one: await start({ store: "memory", aliases: FEW, attached: 1 }),
          three: await start({ store: "memory", aliases: FEW, attached: 3 }),
          forty: await start({ store: "memory", aliases: FEW, attached: 40 }),
          many: await start({ store: "memory", aliases: many, attached: 3 }),
        },
        SQLite: {
          one: await start({ store: "sqlite", aliases: FEW, attached: 1 }),
          three: await start({ store: "sqlite", aliases: FEW, attached: 3 }),
          forty: await start({ store: "sqlite", aliases: FEW, attached: 40 }),
          many: await start({ store: "sqlite", aliases: many, attached: 3 }),
        },
      };
      // The first round warms up the compiler.
      for (let round = -1; round < rounds; round += 1) {
        for (const { process, replace, list } of started) {
          const times = Times.parse(await process.ask("measure"));
          if (round < 0) continue;
          replace.push(times.replace);
          list.push(times.list);
        }
      }
      const grown = many.toLocaleString("en-US");
      const flat: Readonly<Record<keyof typeof accounts, Goal>> = { memory: atMost(1.15), SQLite: atMost(2) };
      const rows: Row[] = [
        rowOf(
          { path: "replaceRecipients on memory", what: "time, 3 recipients", goal: atMost(3, "µs") },
          accounts.memory.three.replace,
        ),
      ];
      for (const store of ["memory", "SQLite"] as const) {
        const { one, three, forty, many } = accounts[store];
        rows.push(
          rowOf(
            { path: `replaceRecipients on ${store}`, what: "time, 40 recipients ÷ 1", goal: atMost(40) },
            ratios(forty.replace, one.replace),
          ),
          rowOf(
            {
              path: `replaceRecipients on ${store}`,
              what: `time, ${grown} aliases ÷ ${FEW}`,
              goal: flat[store],
            },
            ratios(many.replace, three.replace),
          ),
          rowOf(
            { path: `listAliases on ${store}`, what: `time, ${grown} aliases ÷ ${FEW}`, goal: flat[store] },
            ratios(many.list, three.list),
          ),
        );
      }
      return { rows, rounds: [] };
    } finally {
      for (const { process } of started) await process.stop();
    }
  },
};
