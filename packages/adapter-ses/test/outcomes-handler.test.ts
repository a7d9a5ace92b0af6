import { err, ok } from "@postern/core";
import { bounce, complaint, delivery, fromSns } from "@postern/test-support/ses-events";
import { expect, test } from "vitest";
import { outcomesHandler, type SesEventRead } from "../src/outcomes/index.ts";
import { keptAs, newDeployment } from "./support/copies.ts";

/** An invocation by SQS. */
const invocation = (...bodies: readonly string[]) => ({
  Records: bodies.map((body, n) => ({
    messageId: `message-${n}`,
    receiptHandle: "handle",
    body,
    attributes: { ApproximateReceiveCount: "1" },
    eventSource: "aws:sqs",
  })),
});

const failures = (...numbers: readonly number[]) => ({
  batchItemFailures: numbers.map((n) => ({ itemIdentifier: `message-${n}` })),
});

test("only what cannot be read, and what is not stored, stays in the queue", async () => {
  const { ports, sender, kept } = newDeployment();
  const [first, second, third] = [await sender(), await sender(), await sender()];
  const { handOver } = ports().store.handedReports;
  const broken: typeof handOver = async (report, ...rest) =>
    third.includes(report.copy) ? err({ code: "unavailable" }) : handOver(report, ...rest);
  const read: SesEventRead[] = [];
  const handle = outcomesHandler({ ...ports({ handOver: broken }), onEvent: (each) => read.push(each) });
  const events = [
    delivery({ source: first }),
    bounce({ source: second }, "Permanent", "NoEmail"),
    complaint({ source: third }),
    delivery({ source: "someone@elsewhere.example" }),
  ].map((event) => JSON.stringify(event));
  const batch = invocation(...events, "no event", JSON.stringify(fromSns(events[0] ?? "")));

  expect(await handle(batch)).toEqual(failures(2, 4));
  expect(await kept()).toEqual([keptAs("bounced", second), keptAs("delivered", first)]);
  const results = read.toSorted((one, other) => one.messageId.localeCompare(other.messageId));
  expect(results.map(({ result }) => result)).toEqual([
    ok("handed_over"),
    ok("handed_over"),
    err({ code: "unavailable" }),
    ok("unknown_copy"),
    err({ code: "unreadable", reason: "it is not JSON" }),
    ok("handed_over"),
  ]);

  // SQS delivers them again.
  expect(await outcomesHandler(ports())(batch)).toEqual(failures(4));
  expect(await kept()).toEqual(
    [keptAs("bounced", second), keptAs("complaint", third), keptAs("delivered", first)].toSorted(),
  );
});

test("if nothing of a batch is stored, each message is named", async () => {
  const { ports, sender } = newDeployment();
  const events = [];
  for (let n = 0; n < 10; n += 1) events.push(JSON.stringify(delivery({ source: await sender() })));
  for (const name of ["list", "handOver"] as const) {
    const handle = outcomesHandler(ports({ [name]: async () => err({ code: "unavailable" }) }));
    expect(await handle(invocation(...events))).toEqual(failures(...events.keys()));
  }
});

test.each([[null], [{}], [{ Records: {} }], [{ Records: [{ body: "x" }] }], [{ Records: [{ Sns: {} }] }]])(
  "an invocation by anything else fails: %j",
  async (event) => {
    const { ports } = newDeployment();
    await expect(outcomesHandler(ports())(event)).rejects.toThrow("not a batch of messages of SQS");
  },
);
