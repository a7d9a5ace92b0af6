import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { memoryStore } from "@postern/adapter-memory";
import { parseAccountId, parseEmailAddress } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { freePort } from "@postern/test-support/free-port";
import { expect, onTestFinished, test, vi } from "vitest";
import { openMailThread } from "../src/serve/mail/mail-thread.ts";
import { noMailMetrics } from "../src/serve/observability/mail-metrics.ts";
import { configurationWith } from "./support/configuration.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startServerProcess } from "./support/server-process.ts";
import { openSession } from "./support/smtp-session.ts";

/* The mail plane runs in a thread of its own: it does not delay the API, and neither outlives the other. */

/** For each thread, a property that only it has in its worker data. */
const DATA = { mail: "settings", spool: "directory" } as const;

/**
 * Starts a server that also runs this program in one of its threads: that of the mail plane, or that of its spool. For a reply of the mail
 * plane, and for its end, it waits a tenth of the usual time.
 */
const startWith = (
  variables: Record<string, string>,
  program: string,
  thread: keyof typeof DATA = "mail",
) => {
  const inThread = `
    import { workerData } from "node:worker_threads";
    const { setTimeout } = globalThis;
    const shorter = new Map([[8_000, 800], [12_000, 1_200]]);
    globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, shorter.get(ms) ?? ms, ...rest);
    if (workerData?.${DATA[thread]} !== undefined) { ${program} }`;
  return startServerProcess({
    ...variables,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(inThread)}`,
  });
};

test("requests are answered while the mail plane is busy", async () => {
  const { directory, variables } = await newMailEnvironment();
  const [work, busy] = [join(directory, "work"), join(directory, "busy")];
  const server = await startWith(
    variables,
    `const { existsSync, writeFileSync } = await import("node:fs");
     setInterval(() => {
       if (!existsSync(${JSON.stringify(work)})) return;
       writeFileSync(${JSON.stringify(busy)}, "");
       while (existsSync(${JSON.stringify(work)}));
     }, 50);`,
  );
  onTestFinished(() => void server.kill());
  writeFileSync(work, "");
  await expect.poll(() => existsSync(busy)).toBe(true);
  let greeted = false;
  const greeting = openSession(server.mailPort()).then((session) => {
    greeted = true;
    session.end();
  });
  for (let n = 0; n < 10; n += 1) expect((await fetch(`${server.url}/health`)).status).toBe(200);
  expect(greeted).toBe(false);
  rmSync(work);
  await greeting;
});

/** The priorities of a process's threads with this name, relative to this process: a higher number is a lower priority. */
const prioritiesOf = (pid: number | undefined, name: string): readonly number[] => {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks)
    .map((id) => readFileSync(join(tasks, id, "stat"), "utf8"))
    .filter((line) => line.includes(`(${name})`))
    .map((line) => Number(line.slice(line.lastIndexOf(")") + 2).split(" ")[16]) - getPriority());
};

// Other systems have no thread priorities.
test.runIf(process.platform === "linux")(
  "mail and its spool have a lower priority than requests, and than the threads that both use",
  async () => {
    // There is none lower than 19, which matters if the tests have a low priority themselves.
    const lower = Math.min(10, 19 - getPriority());
    const { variables } = await newMailEnvironment();
    const { pid, kill } = await startServerProcess(variables);
    expect({
      requests: prioritiesOf(pid, "node-MainThread"),
      mail: prioritiesOf(pid, "WorkerThread"),
      both: prioritiesOf(pid, "libuv-worker"),
    }).toEqual({ requests: [0], mail: [lower, lower], both: [0, 0, 0, 0, 0] });
    kill();
  },
);

test.each([
  ["mail", 'throw new Error("a defect")', "Error: a defect"],
  ["spool", 'throw new Error("a defect")', "Error: a defect"],
  ["spool", "process.exit()", "Error: the thread of the spool has ended"],
] as const)("in the %s thread, %s ends the process", async (thread, end, reason) => {
  const { directory, variables } = await newMailEnvironment();
  const defect = join(directory, "defect");
  const server = await startWith(
    variables,
    `const { existsSync } = await import("node:fs");
     setInterval(() => { if (existsSync(${JSON.stringify(defect)})) ${end}; }, 50);`,
    thread,
  );
  writeFileSync(defect, "");
  await server.ended;
  expect(server.output()).toContain(reason);
});

test("a thread that does not respond keeps neither the metrics waiting nor the process from ending", async () => {
  const { directory, variables } = await newMailEnvironment();
  const metricsPort = await freePort();
  const [defect, looping] = [join(directory, "defect"), join(directory, "looping")];
  const server = await startWith(
    { ...variables, POSTERN_METRICS_PORT: `${metricsPort}` },
    `const { existsSync, writeFileSync } = await import("node:fs");
     setInterval(() => {
       if (!existsSync(${JSON.stringify(defect)})) return;
       writeFileSync(${JSON.stringify(looping)}, "");
       for (;;);
     }, 50);`,
  );
  writeFileSync(defect, "");
  await expect.poll(() => existsSync(looping)).toBe(true);
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain("postern_mail_spool_failures_total 1\n");
  const output = await server.stop();
  expect(output).toContain("mail the mail plane did not reply within 8000 ms");
  expect(output).toContain("the mail plane did not stop in time");
});

/** Opens the mail plane in a thread, as a server does, with these settings changed. */
const openThreadWith = async (
  variables: Record<string, string>,
  changed: Readonly<Record<string, string>> = {},
) => {
  const { mailPlane, ...settings } = configurationWith(variables);
  if (mailPlane === undefined) expect.unreachable("it receives no mail");
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return valueOf(
    await openMailThread(
      { ...settings, mailPlane: { ...mailPlane, ...changed } },
      { store: memoryStore(), logger: silent, metrics: noMailMetrics },
    ),
  );
};

test("a thread that throws when it is opened ends, and frees its spool", async () => {
  const { variables } = await newMailEnvironment();
  // `readConfiguration` does not accept this relay.
  await expect(openThreadWith(variables, { relayUrl: "nonsense" })).rejects.toThrow("url must look like");
  const mail = await openThreadWith(variables);
  await mail.stop(1_000);
});

test("a thread that has not responded for a minute ends the process; calls to one that has stopped fail as unavailable", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const mail = await openThreadWith((await newMailEnvironment()).variables);
  for (let minute = 0; minute < 10; minute += 1) {
    // No reply from the thread arrives during this.
    expect(() => vi.advanceTimersByTime(60_000)).not.toThrow();
    // This reply arrives after those to the pings.
    expect(valueOf(await mail.size())).toMatchObject({ queued: 0 });
  }
  expect(() => vi.advanceTimersByTime(70_000)).toThrow("the thread of the mail plane does not respond");
  await mail.stop(1_000);

  const unavailable = {
    code: "unavailable",
    cause: { source: "mail", reason: "the mail plane has stopped" },
  };
  const message = {
    account: valueOf(parseAccountId("account")),
    to: valueOf(parseEmailAddress("ada@home.example")),
    token: "token",
  };
  const sending = mail.verificationMail.send(message);
  expect(failureOf(await mail.size())).toEqual(unavailable);
  expect(failureOf(await sending)).toEqual(unavailable);
});
