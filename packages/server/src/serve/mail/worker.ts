import { parentPort, workerData } from "node:worker_threads";
import { createBirpc } from "birpc";
import type { LogLevel } from "../observability/log.ts";
import { noMailMetrics } from "../observability/mail-metrics.ts";
import { lowerPriority } from "./lower-priority.ts";
import { openMailPlane } from "./open-mail-plane.ts";
import { storeOf } from "./store-calls.ts";
import { type MailCalls, type MailThreadData, type MainCalls, received, sent } from "./thread-calls.ts";

/*
 * The thread of the mail plane: checking, signing and sending messages does not delay requests to the API. It stores, logs and
 * measures through the main thread.
 */

if (parentPort === null) throw new Error("this is the thread of the mail plane");
const port = parentPort;
const { settings, operations, measured }: MailThreadData = workerData;

lowerPriority();

const opened = async () => {
  const mail = await opening;
  if (mail.isErr()) throw new Error("the mail plane was not opened");
  return mail.value;
};

const main = createBirpc<MainCalls, MailCalls>(
  {
    open: async () => sent((await opening).map(() => null)),
    start: async () => sent(await (await opened()).start()),
    ping: () => {},
    reload: async () => (await opened()).reload(),
    stop: async (graceMs) => (await opened()).stop(graceMs),
    size: async () => sent(await (await opened()).size()),
    sendVerification: async (message) => sent(await (await opened()).verificationMail.send(message)),
  },
  {
    post: (message) => port.postMessage(message),
    on: (listener) => port.on("message", listener),
    eventNames: [
      "log",
      "replied",
      "copySettled",
      "relayAnswered",
      "signed",
      "committed",
      "reportRead",
      "spoolFailed",
      "forwardingPaused",
    ],
    // Each operation of the store has a deadline of its own.
    timeout: -1,
  },
);

const log = (level: LogLevel) => (fields: object, message: string) => void main.log(level, fields, message);

const opening = openMailPlane(settings, {
  store: storeOf(operations, async (operation, input) => received(await main.store(operation, input))),
  logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
  metrics: measured ? main : noMailMetrics,
});
