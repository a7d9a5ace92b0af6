import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newDirectory } from "@postern/test-support/new-directory";
import { until } from "@postern/test-support/until";

const main = fileURLToPath(new URL("../../../trial/src/main.ts", import.meta.url));

export type Trial = {
  readonly api: string;
  /** Where it takes keys. */
  readonly keys: string;
  readonly issuer: string;
  readonly mailPort: number;
  /** The commands that it prints for the command line. */
  readonly commands: string;
  /** The text of the nth message to a mailbox, once it has arrived. */
  message(mailbox: string, n: number): Promise<string>;
  /** The link in the first message to a mailbox. */
  link(mailbox: string): Promise<string>;
  stop(): Promise<void>;
};

/** Starts a trial: a server, an identity provider and mailboxes. */
export const startTrial = async (): Promise<Trial> => {
  const directory = newDirectory();
  const child = spawn(process.execPath, [main], {
    cwd: directory,
    env: { ...process.env, TMPDIR: directory },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let output = "";
  const printed = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    if (output.includes("Ctrl-C stops everything")) printed.resolve();
  });
  ended.then(() => printed.reject(new Error(`The trial has ended: ${output}`)));
  const addressOf = (what: string): string =>
    new RegExp(`${what} +(\\w+://127\\.0\\.0\\.1:\\d+)`).exec(output)?.[1] ?? "";
  await printed.promise;
  const message: Trial["message"] = (mailbox, n) =>
    until(`message ${n} to ${mailbox}`, () =>
      readFile(join(directory, ".postern/mailboxes", mailbox.toLowerCase(), `${n}.txt`), "utf8").catch(
        () => null,
      ),
    );
  return {
    api: addressOf("API"),
    keys: addressOf("keys"),
    issuer: `${addressOf("identity provider")}/us-east-1_PosternTr`,
    commands: /With the command line.*?\n\n(.*?)\nWith curl/s.exec(output)?.[1] ?? "",
    mailPort: Number(new URL(addressOf("incoming mail")).port),
    message,
    link: async (mailbox) =>
      /http:\S+\/recipients\/verify\?token=\S+/.exec(await message(mailbox, 1))?.[0] ?? "",
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
};
