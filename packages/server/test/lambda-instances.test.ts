import { valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import { expect, test } from "vitest";
import {
  adoptRecipient,
  functionEnvironment,
  openTable,
  requestBy,
  serviceOn,
  startFunction,
} from "./support/lambda.ts";

const INSTANCES = runsWhole(import.meta.url) ? 200 : 10;
const AT_ONCE = 20;
const REQUESTS = 10;
const MOST_ALIASES = 15;

const below = (n: number): number => Math.floor(Math.random() * n);
const oneOf = <T>(all: readonly T[]): T | undefined => all[below(all.length)];

test(`${INSTANCES} instances of a function on one table keep every rule, ${AT_ONCE} at a time`, {
  timeout: 120_000 + INSTANCES * 10_000,
}, async () => {
  const variables = await functionEnvironment();
  variables["POSTERN_MAX_ALIASES"] = `${MOST_ALIASES}`;
  const recipients: string[] = [];
  for (const name of ["a", "b", "c", "d"]) recipients.push(await adoptRecipient(variables, "alice", name));
  const some = () => recipients.filter(() => below(2) === 0);
  const aliases: string[] = [];
  const statuses = new Map<number, number>();

  /** An instance that makes a few requests, and ends. */
  const run = async () => {
    const api = await startFunction("api", variables);
    const request = async (...call: readonly [method: string, path: string, body?: object]) => {
      const answer = await requestBy(api, "alice", ...call);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      return answer;
    };
    for (let n = 0; n < REQUESTS; n += 1) {
      const alias = `/aliases/${oneOf(aliases) ?? "none"}`;
      const recipient = `/recipients/${oneOf(recipients)}`;
      switch (below(7)) {
        case 0:
        case 1: {
          const { status, body } = await request("POST", "/aliases", { recipient_ids: some() });
          if (status === 201) aliases.push(String(body["alias_id"]));
          break;
        }
        case 2:
        case 3:
          await request("PUT", `${alias}/recipients`, { recipient_ids: some() });
          break;
        case 4:
          await request("DELETE", alias);
          break;
        case 5:
          await request("POST", `${alias}/restore`);
          break;
        default:
          await request("PATCH", recipient, { active: below(2) === 0 });
      }
    }
    await api.stop();
  };
  let left = INSTANCES;
  const runSome = async () => {
    while (left > 0) {
      left -= 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runSome));

  const store = await openTable(variables);
  const service = serviceOn(store);
  const page = { account: "alice", limit: 100 };
  const listed = valueOf(await service.listRecipients(page)).items;
  const usable = new Set(
    listed.filter(({ verifiedAt, active }) => verifiedAt !== null && active).map(({ id }) => id),
  );
  const live = valueOf(await service.listAliases(page)).items;
  expect(live.length).toBeLessThanOrEqual(MOST_ALIASES);
  expect(live.length).toBeGreaterThan(0);
  for (const { destinations } of live) {
    expect(destinations.length).toBeGreaterThan(0);
    expect(destinations.filter(({ recipientId }) => !usable.has(recipientId))).toEqual([]);
  }
  const differences = [];
  for await (const found of store.differences(() => {})) differences.push(valueOf(found));
  expect(differences).toEqual([]);
  // 503 after too many conflicts, which a client repeats.
  expect(
    [...statuses.keys()].filter((status) => ![200, 201, 204, 400, 403, 404, 409, 422, 503].includes(status)),
  ).toEqual([]);
  expect(statuses.get(201)).toBeGreaterThan(0);
});
