import { err, type Unavailable } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { startQueues as start } from "@postern/test-support/queues";
import { bounce, complaint, delivery } from "@postern/test-support/ses-events";
import { expect, onTestFinished, test } from "vitest";
import { type PollOutcomesPorts, pollOutcomes, replayOutcomes } from "../src/outcomes/index.ts";
import { outcomesPass } from "../src/outcomes/poll-outcomes.ts";
import { keptAs, newDeployment } from "./support/copies.ts";

const NOW = 0;
const LATER = expect.toSatisfy((wait: number) => wait > 0, "a pause");

/** Queues that end with the test. */
const startQueues = async (...options: Parameters<typeof start>) => {
  const queues = await start(...options);
  onTestFinished(() => queues.stop());
  return queues;
};

type Queues = Awaited<ReturnType<typeof startQueues>>;

/** Makes a pass, or several, and notes what is told besides. */
const passes = ({ location }: Queues, ports: PollOutcomesPorts) => {
  const told: Unavailable[] = [];
  const { pass, close } = outcomesPass(
    location,
    { ...ports, onUnreported: (error) => told.push(error) },
    new AbortController().signal,
  );
  onTestFinished(close);
  return { pass, told };
};

test("events that SES publishes are stored, and then deleted from the queue", async () => {
  const queues = await startQueues();
  const { ports, sender, kept } = newDeployment();
  const expected = [];
  for (let n = 0; n < 12; n += 1) {
    const source = await sender();
    queues.publish(delivery({ source }));
    expected.push(keptAs("delivered", source));
  }
  const { pass, told } = passes(queues, ports());
  expect(await pass()).toBe(NOW);
  expect(queues.waiting()).toHaveLength(2);
  expect(await pass()).toBe(NOW);
  expect(queues.waiting()).toEqual([]);
  expect(await kept()).toEqual(expected.toSorted());
  expect(told).toEqual([]);
});

test("while the store is down, nothing is deleted, and nothing is lost", async () => {
  const queues = await startQueues({ attempts: 100 });
  const { ports, sender, kept } = newDeployment();
  const [first, second] = [await sender(), await sender()];
  queues.send(delivery({ source: first }));
  queues.publish(bounce({ source: second }, "Permanent", "General"));
  const down = passes(queues, ports({ handOver: async () => err({ code: "unavailable" }) }));
  for (let times = 0; times < 3; times += 1) expect(await down.pass()).toEqual(LATER);
  expect(queues.waiting()).toHaveLength(2);
  const up = passes(queues, ports());
  expect(await up.pass()).toBe(NOW);
  expect(queues.waiting()).toEqual([]);
  expect(await kept()).toEqual([keptAs("bounced", second), keptAs("delivered", first)]);
});

test("what cannot be read goes to the dead letters, and from there back into the queue on request", async () => {
  const queues = await startQueues({ attempts: 2 });
  const { ports, sender, kept } = newDeployment();
  const source = await sender();
  const reasons: string[] = [];
  const { pass } = passes(queues, {
    ...ports(),
    onEvent: ({ result }) => {
      if (result.isErr() && result.error.code === "unreadable") reasons.push(result.error.reason);
    },
  });
  for (let n = 0; n < 12; n += 1) queues.send(`no event ${n}`);
  for (let times = 0; queues.dead().length < 12; times += 1) {
    // Otherwise the queue is empty, and the pass waits for something.
    queues.send(complaint({ source }));
    expect(await pass()).toBe(NOW);
    expect(times).toBeLessThan(20);
  }
  expect(new Set(reasons)).toEqual(new Set(["it is not JSON"]));
  expect(reasons).toHaveLength(24);
  expect(await kept()).toEqual([keptAs("complaint", source)]);

  expect(valueOf(await replayOutcomes(queues.location))).toBe(12);
  expect(queues.dead()).toEqual([]);
  expect(queues.waiting().filter((body) => body.startsWith("no event"))).toHaveLength(12);
  expect(valueOf(await replayOutcomes(queues.location))).toBe(0);
});

test("a queue without dead letters has none to bring back", async () => {
  const { location } = await startQueues({ deadLetters: false });
  expect(failureOf(await replayOutcomes(location))).toEqual({ code: "no_dead_letters" });
});

test("a queue that cannot be reached, or does not exist, is told, and asked again later", async () => {
  const queues = await startQueues();
  const { ports } = newDeployment();
  const url = queues.location.url.replace("outcomes", "another");
  const missing = { ...queues, location: { ...queues.location, url } };
  const because = (reason: string) => ({ code: "unavailable", cause: { source: "sqs", reason } });
  const lost = passes(missing, ports());
  expect(await lost.pass()).toEqual(LATER);
  expect(lost.told).toEqual([because("QueueDoesNotExist")]);
  expect(failureOf(await replayOutcomes(missing.location))).toEqual(because("QueueDoesNotExist"));
  await queues.stop();
  const down = passes(queues, ports());
  expect(await down.pass()).toEqual(LATER);
  expect(down.told).toEqual([because("ECONNREFUSED")]);
});

test("it stops at once while it waits, and otherwise once what it has received is stored and deleted", async () => {
  const queues = await startQueues();
  const { ports, sender, kept } = newDeployment();
  const idle = pollOutcomes(queues.location, ports());
  idle.start();
  await idle.stop();
  await idle.stop();

  const { handOver } = ports().store.handedReports;
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow: typeof handOver = async (...report) => {
    begun.resolve();
    await release.promise;
    return handOver(...report);
  };
  const source = await sender();
  queues.send(delivery({ source }));
  const polling = pollOutcomes(queues.location, ports({ handOver: slow }));
  polling.start();
  await begun.promise;
  let stopped = false;
  const stopping = polling.stop().then(() => {
    stopped = true;
  });
  queues.send(delivery({ source: await sender() }));
  await new Promise(setImmediate);
  expect(stopped).toBe(false);
  release.resolve();
  await stopping;
  expect(await kept()).toEqual([keptAs("delivered", source)]);
  expect(queues.waiting()).toHaveLength(1);
});
