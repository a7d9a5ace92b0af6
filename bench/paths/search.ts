import { Agent, get } from "node:http";
import * as z from "zod";
import { atMost, rowOf } from "../report/row.ts";
import { ratios } from "../report/statistics.ts";
import { POSTERN } from "../support/contenders.ts";
import { accountName, aliasAt, type Fixture } from "../support/fixture.ts";
import type { Path } from "../support/path.ts";
import { startContender } from "../support/start-contender.ts";

const FEW = 100;
/** At most; fewer in a quick run. */
const MANY = 100_000;
const fixtureOf = (aliases: number): Fixture => ({ accounts: 1, aliases, recipients: 1, attached: 1 });

const PageOfAliases = z.object({
  aliases: z.array(z.object({ alias_id: z.string() })),
  next_cursor: z.string().nullable(),
});

/** How long searches take, in milliseconds: for their first page, and until they have found the alias. */
type Searched = { readonly firstPage: number; readonly found: number };

/** Searches for one alias after the other by the beginning of its address, page by page until it is found. */
const searches = (url: string, token: string, fixture: Fixture) => {
  const agent = new Agent({ keepAlive: true });
  const page = (query: URLSearchParams): Promise<z.output<typeof PageOfAliases>> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      get(`${url}/aliases?${query}`, { agent, headers }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => {
          body += text;
        });
        response.once("end", () => resolve(PageOfAliases.parse(JSON.parse(body)))).once("error", reject);
      }).once("error", reject);
    });

  let count = 0;
  const one = async (): Promise<Searched> => {
    // Spread over the account, the same for each number of aliases.
    const place = (count * 0.618_034) % 1;
    count += 1;
    const { id, email } = aliasAt(fixture, 0, Math.floor(place * fixture.aliases));
    const q = email.slice(0, email.indexOf("@"));
    const start = performance.now();
    let firstPage: number | undefined;
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ q, ...(cursor !== null && { cursor }) });
      const { aliases, next_cursor } = await page(query);
      firstPage ??= performance.now() - start;
      if (aliases.some(({ alias_id }) => alias_id === id))
        return { firstPage, found: performance.now() - start };
      cursor = next_cursor;
    } while (cursor !== null);
    throw new Error(`the search for ${q} did not find ${id}`);
  };

  /** Searches for this many seconds, but at least once; resolves to the mean. */
  const some = async (seconds: number): Promise<Searched> => {
    const end = performance.now() + seconds * 1000;
    const times: Searched[] = [];
    do times.push(await one());
    while (performance.now() < end);
    const mean = (of: keyof Searched) => times.reduce((sum, time) => sum + time[of], 0) / times.length;
    return { firstPage: mean("firstPage"), found: mean("found") };
  };
  return { some, close: () => agent.destroy() };
};

export const search: Path = {
  name: "search",
  about: `GET /aliases?q=… for a prefix of an address, memory store, one client; an account with few aliases and one with many`,
  run: async ({ setup, token, effort: { rounds, seconds, many } }) => {
    const grown = Math.min(many, MANY);
    const running = await Promise.all(
      [FEW, grown].map(async (aliases) => {
        const fixture = fixtureOf(aliases);
        const server = await startContender(
          { ...POSTERN, name: `Postern with ${aliases}` },
          { ...setup, fixture },
        );
        return {
          server,
          client: searches(server.url, token(accountName(0)), fixture),
          times: [] as Searched[],
        };
      }),
    );
    try {
      for (const { client } of running) await client.some(seconds);
      for (let round = 0; round < rounds; round += 1) {
        for (const { client, times } of running) times.push(await client.some(seconds));
      }
      const [before = [], after = []] = running.map(({ times }) => times);
      const what = (of: string) => `time ${of}, ${grown.toLocaleString("en-US")} aliases ÷ ${FEW}`;
      const row = (of: keyof Searched, text: string) =>
        rowOf(
          { path: "search", what: what(text), goal: atMost(3) },
          ratios(
            after.map((time) => time[of]),
            before.map((time) => time[of]),
          ),
        );
      return { rows: [row("firstPage", "for a page"), row("found", "until it is found")], rounds: [] };
    } finally {
      for (const { client, server } of running) {
        client.close();
        await server.stop();
      }
    }
  },
};
