import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { block } from "../../../scripts/document-blocks.ts";

// Each test starts programs, which takes a long time on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** The trial as a user runs it: in its own process, in a directory that also holds its temporary files. */
let trial: ChildProcess;
let output: string;
let errors: string;
let directory: string;

const begin = async () => {
  output = "";
  errors = "";
  trial = spawn(process.execPath, [main], {
    cwd: directory,
    env: { ...process.env, TMPDIR: directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  trial.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  trial.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  await expect.poll(() => output, { timeout: 100_000 }).toContain("Ctrl-C stops everything.");
};

beforeEach(async () => {
  // A name that needs quotes in the shell.
  directory = await mkdtemp(join(tmpdir(), "ada's trial-"));
  await begin();
});

afterEach(async () => {
  if (trial.exitCode === null && trial.signalCode === null) {
    trial.kill("SIGKILL");
    await once(trial, "exit");
  }
  await rm(directory, { recursive: true });
});

const printedCommands = () => {
  const [, commands] =
    /another terminal.*?\n\n(.*)\nMessages that arrive are listed below/s.exec(output) ?? [];
  return commands ?? expect.unreachable("no commands were printed");
};

const printed = (pattern: RegExp) => {
  const [, found] = pattern.exec(output) ?? [];
  return found ?? expect.unreachable(`nothing was printed that matches ${pattern}`);
};

const printedAddress = (of: string) => printed(new RegExp(`${of} +((?:http|smtp)://127\\.0\\.0\\.1:\\d+)`));

const Recipient = z.object({ recipient_email: z.string() });
const Alias = z.object({ destination_emails: z.array(z.string()), alias_email: z.string() });

/** Runs the printed commands, as a user who pastes them does. Returns the relevant parts of their output. */
const paste = async () => {
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", printedCommands()]);
  expect(stderr).toBe("");
  const [sent = ""] = /^6\. Send a message.*/ms.exec(stdout) ?? [];
  const json = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): unknown => JSON.parse(line));
  return { stdout, json, sent };
};

const filesOf = (mailbox: string) => readdir(join(directory, ".postern/mailboxes", mailbox));
const messageIn = (mailbox: string, file: string) =>
  readFile(join(directory, ".postern/mailboxes", mailbox, file), "utf8");

test("the printed commands replace an alias's recipients, and a message to it arrives at both and is counted", async () => {
  expect(output).toContain("NOT FOR REAL MAIL");
  expect(output).toMatch(/signing key is public.*127\.0\.0\.1.*instead of being sent.*\.postern;/s);
  const { stdout, json, sent } = await paste();
  expect(stdout.match(/^HTTP \d+$/gm)).toEqual(["HTTP 200"]);
  const [ada, grace, adaVerified, graceVerified, created, replaced] = json;
  expect([ada, grace]).toMatchObject([
    { recipient_email: expect.stringMatching(/^ada-[0-9a-f]{6}@example\.com$/), verified: false },
    { recipient_email: expect.stringMatching(/^grace-[0-9a-f]{6}@example\.com$/), verified: false },
  ]);
  expect([adaVerified, graceVerified]).toMatchObject([{ verified: true }, { verified: true }]);
  const emails = [ada, grace].map((each) => Recipient.parse(each).recipient_email);
  const [adaEmail = "", graceEmail = ""] = emails;
  expect(Alias.parse(created).destination_emails).toEqual([adaEmail]);
  const alias = Alias.parse(replaced);
  expect(alias.destination_emails).toEqual([graceEmail, adaEmail]);

  expect(
    sent
      .replaceAll(`${directory}/`, "")
      .replaceAll(/-[0-9a-f]{6}@/g, "@")
      .replaceAll(/r-[a-z2-7]{26}@/g, "r-…@"),
  ).toBe(block("README.md", "Postern", 1));

  for (const email of emails) {
    expect((await filesOf(email)).toSorted()).toEqual(["1.eml", "1.txt", "2.eml", "2.txt"]);
    expect(await messageIn(email, "1.txt")).toContain(`To: ${email}\n`);
    const forwarded = await messageIn(email, "2.eml");
    expect(forwarded).toMatch(/^DKIM-Signature: [^:]*d=postern\.example; s=trial;/m);
    expect(forwarded).toContain(`To: ${alias.alias_email}`);
    for (const secret of emails) expect(forwarded).not.toContain(secret);
    const link = `${printedAddress("API")}/recipients/verify?token=`;
    const listed = `[mail] .postern/mailboxes/${email}/`;
    await expect.poll(() => output).toContain(`${listed}1.eml\n       Confirm this address: ${link}`);
    await expect.poll(() => output).toContain(`${listed}2.eml\n`);
  }
  expect(errors).toBe("");
});

/** Whether something listens there. */
const isOpen = async (url: string): Promise<boolean> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s stops everything and leaves only the data behind",
  async (signal) => {
    const addresses = ["API", "incoming mail", "identity provider"].map(printedAddress);
    for (const address of addresses) expect(await isOpen(address)).toBe(true);
    const temporary = (await readdir(directory)).filter((name) => name.startsWith("postern-trial-"));
    expect(temporary).toHaveLength(1);

    const exit = once(trial, "exit");
    trial.kill(signal);
    // A package manager forwards the signal that the terminal has already sent.
    trial.kill(signal);
    expect(await exit).toEqual([0, null]);

    for (const address of addresses) expect(await isOpen(address)).toBe(false);
    expect(await readdir(directory)).toEqual([".postern"]);
    expect(errors).toBe("");
  },
);

test("a second trial uses other ports, and another directory", async () => {
  const first = ["API", "incoming mail", "identity provider"].map(printedAddress);
  let others = "";
  let refusal = "";
  const beginSecond = (env: NodeJS.ProcessEnv) => {
    const second = spawn(process.execPath, [main], {
      cwd: directory,
      env: { ...process.env, TMPDIR: directory, ...env },
    });
    second.stdout.on("data", (chunk) => {
      others += chunk;
    });
    second.stderr.on("data", (chunk) => {
      refusal += chunk;
    });
    return second;
  };
  const [code] = await once(beginSecond({}), "close");
  expect(code).toBe(1);
  expect(refusal).toContain("set POSTERN_TRIAL_DIRECTORY to another directory");

  const second = beginSecond({ POSTERN_TRIAL_DIRECTORY: "second" });
  try {
    await expect.poll(() => others, { timeout: 100_000 }).toContain("Ctrl-C stops everything.");
    for (const address of first) {
      expect(others).not.toContain(address);
      expect(await isOpen(address)).toBe(true);
    }
    await access(join(directory, "second/postern.db"));
  } finally {
    second.kill("SIGKILL");
    await once(second, "exit");
  }
});

test("after a restart the commands work again, and earlier aliases and keys are still there", async () => {
  const { json } = await paste();
  const alias = Alias.parse(json[5]);
  const key = await readFile(join(directory, ".postern/dkim.pem"), "utf8");
  const exit = once(trial, "exit");
  trial.kill("SIGTERM");
  await exit;
  await begin();
  const { sent } = await paste();
  expect(sent).toContain('"emails_delivered":2');

  // The printed command, with the earlier alias.
  const send = printed(/^(printf [^\n]+\n +curl [^\n]+)$/m).replaceAll(
    /shop-[0-9a-f]{6}@postern\.example/g,
    alias.alias_email,
  );
  expect(send).toContain(`--mail-rcpt ${alias.alias_email} `);
  await promisify(execFile)("sh", ["-c", send]);
  for (const email of alias.destination_emails) {
    await expect.poll(() => filesOf(email), { timeout: 60_000 }).toContain("3.txt");
    expect(await messageIn(email, "3.txt")).toContain("It is on its way.");
  }
  expect(await readFile(join(directory, ".postern/dkim.pem"), "utf8")).toBe(key);
});
