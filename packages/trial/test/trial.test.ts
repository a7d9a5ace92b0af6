import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";

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
  await expect.poll(() => output, { timeout: 20_000 }).toContain("Ctrl-C stops everything.");
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trial-test-"));
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
    /another terminal[^\n]*\n\n(.*)\nVerification messages are printed below/s.exec(output) ?? [];
  return commands ?? expect.unreachable("no commands were printed");
};

const printedAddress = (of: string) => {
  const [, url] = new RegExp(`${of} +(http://127\\.0\\.0\\.1:\\d+)`).exec(output) ?? [];
  return url ?? expect.unreachable(`no address of the ${of} was printed`);
};

const ADA = /^ada-[0-9a-f]{6}@example\.com$/;
const GRACE = /^grace-[0-9a-f]{6}@example\.com$/;
const Recipient = z.object({ recipient_email: z.string() });
const List = z.object({ aliases: z.array(z.unknown()) });
const Alias = z.object({ destination_emails: z.array(z.string()), alias_email: z.string() });

test("the printed commands sign in, replace an alias's recipients and list the alias", async () => {
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", printedCommands()]);
  expect(stderr).toBe("");
  expect(stdout.match(/^HTTP \d+$/gm)).toEqual(["HTTP 200", "HTTP 200"]);

  const json = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): unknown => JSON.parse(line));
  const [ada, grace, adaVerified, graceVerified, created, replaced, listed] = json;
  expect([ada, grace]).toMatchObject([
    { recipient_email: expect.stringMatching(ADA), verified: false, verification_mail: "sent" },
    { recipient_email: expect.stringMatching(GRACE), verified: false, verification_mail: "sent" },
  ]);
  expect([adaVerified, graceVerified]).toMatchObject([{ verified: true }, { verified: true }]);
  const [adaEmail, graceEmail] = [Recipient.parse(ada), Recipient.parse(grace)].map(
    (each) => each.recipient_email,
  );
  expect(Alias.parse(created).destination_emails).toEqual([adaEmail]);
  expect(Alias.parse(replaced).destination_emails).toEqual([graceEmail, adaEmail]);
  expect(listed).toEqual({ aliases: [replaced], next_cursor: null });

  expect(output).toMatch(
    /\[mail\] To: ada-[0-9a-f]{6}@example\.com\n.*http:\/\/127\.0\.0\.1:\d+\/recipients\/verify\?token=/,
  );
  expect(output).toContain(`[mail] To: ${graceEmail}`);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s stops everything and leaves only the data behind",
  async (signal) => {
    const addresses = [printedAddress("API"), printedAddress("identity provider")];
    for (const address of addresses) expect((await fetch(`${address}/health`)).status).toBe(200);
    const [temporary] =
      /\/\S*postern-trial-[^/']+/.exec(printedCommands()) ?? expect.unreachable("no directory");
    await access(temporary);

    const exit = once(trial, "exit");
    trial.kill(signal);
    // A package manager forwards the signal that the terminal has already sent.
    trial.kill(signal);
    expect(await exit).toEqual([0, null]);

    for (const address of addresses) await expect(fetch(address)).rejects.toThrow("fetch failed");
    await expect(access(temporary)).rejects.toThrow("ENOENT");
    expect(await readdir(directory)).toEqual([".postern"]);
    expect(errors).toBe("");
  },
);

test("says that it is a trial and that it listens on loopback only", () => {
  expect(output).toContain("NOT FOR REAL MAIL");
  expect(output).toMatch(/signing key\s+is public.*127\.0\.0\.1.*\.postern\/postern\.db/s);
});

test("a second trial uses other ports", async () => {
  const first = printedAddress("API");
  let others = "";
  const second = spawn(process.execPath, [main], {
    cwd: directory,
    env: { ...process.env, TMPDIR: directory, POSTERN_SQLITE_PATH: join(directory, "second.db") },
  });
  second.stdout.on("data", (chunk) => {
    others += chunk;
  });
  try {
    await expect.poll(() => others, { timeout: 20_000 }).toContain("Ctrl-C stops everything.");
    expect(others).not.toContain(first);
    expect((await fetch(`${first}/health`)).status).toBe(200);
  } finally {
    second.kill("SIGKILL");
    await once(second, "exit");
  }
});

test("data survives a restart, and the new commands work with it", async () => {
  const aliasesAfterAll = async (): Promise<number> => {
    const { stdout } = await promisify(execFile)("sh", ["-c", printedCommands()]);
    expect(stdout.match(/^HTTP \d+$/gm)).toEqual(["HTTP 200", "HTTP 200"]);
    const listed =
      stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .at(-1) ?? "";
    return List.parse(JSON.parse(listed)).aliases.length;
  };
  expect(await aliasesAfterAll()).toBe(1);
  const exit = once(trial, "exit");
  trial.kill("SIGTERM");
  await exit;
  await begin();
  expect(await aliasesAfterAll()).toBe(2);
});
