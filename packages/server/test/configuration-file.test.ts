import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseEnv } from "node:util";
import { main } from "@postern/test-support/built-server";
import { newDirectory } from "@postern/test-support/new-directory";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseEnvironmentFile, SET_BY_UNITS } from "../src/configuration/environment-file.ts";
import { environment } from "./support/environment.ts";
import { expectNoSecrets } from "./support/no-secrets.ts";
import { type Ran, run } from "./support/run-command.ts";

const fileWith = (...lines: string[]): string => {
  const file = join(newDirectory(), "postern.env");
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  return file;
};

describe("a file is read", () => {
  const GENERATOR = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator";

  /** What systemd understands. It reads this kind of file as it reads an EnvironmentFile, but also replaces what begins with `$`. */
  const readBySystemd = (lines: string): Readonly<Record<string, string>> => {
    const directory = newDirectory();
    mkdirSync(join(directory, "environment.d"));
    writeFileSync(join(directory, "environment.d/test.conf"), lines);
    const shell = execFileSync(GENERATOR, { env: { XDG_CONFIG_HOME: directory }, encoding: "utf8" });
    const script = `set -a\n${shell}\nexec env -0`;
    const set = execFileSync("sh", ["-c", script], { env: {}, encoding: "utf8" });
    return Object.fromEntries(
      set.split("\0").flatMap((pair) => (/^V\d+=/.test(pair) ? [pair.split(/=(.*)/s, 2)] : [])),
    );
  };

  const value = fc
    .array(fc.constantFrom("'", '"', "`", "\\", "#", ";", "=", " ", "a", "n", "é", "export "), {
      maxLength: 8,
    })
    .map((parts) => parts.join(""));

  test("as systemd and Node read it, or not at all", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 300, maxLength: 300 }), (values) => {
        const lines = values
          .map((each, n) => `V${n}=${each}`)
          .filter((line) => parseEnvironmentFile(line).isOk())
          // An assignment of nothing is an error in the files of this kind only.
          .filter((line) => Object.values(parseEnvironmentFile(line).unwrapOr({}))[0] !== "");
        const file = lines.map((line) => `${line}\n`).join("");
        const read = parseEnvironmentFile(file).unwrapOr({});
        expect(Object.keys(read)).toHaveLength(lines.length);
        expect(read).toEqual({ ...parseEnv(file) });
        expect(read).toEqual(readBySystemd(file));
      }),
      { numRuns: 5 },
    );
  });

  test.each([
    ["A=1\r\n\r\n # comment\n;another\n\tB = 2 $C\t\n", { A: "1", B: "2 $C" }],
    ["A=\nB=''\nC=\"\"", { A: "", B: "", C: "" }],
    ["A='\\ \"#$' \nB=\"'#$`\"\nB=last", { A: '\\ "#$', B: "last" }],
  ])("%j", (content, expected) => {
    expect(parseEnvironmentFile(content)).toEqual(expect.objectContaining({ value: expected }));
    expect({ ...parseEnv(content.replace(";another\n", "")) }).toEqual(expected);
  });

  test.each([
    ["export A=hunter2", "begins with `export`"],
    ["A=hunter2#x", "read differently"],
    ["A=hunter2 # comment", "read differently"],
    ["A=hunter\\2", "read differently"],
    ['A="hunter\\n2"', "read differently"],
    ["A='hunter'2", "read differently"],
    ["A='hunter2", "read differently"],
    ["A=`hunter2`", "read differently"],
    ["# hunter2 \\", "ends with a backslash"],
    ["hunter2", "not of the form NAME=value"],
    ["A-B=hunter2", "not of the form NAME=value"],
    ["\uFEFFA=hunter2", "not of the form NAME=value"],
    ["A=hunter\u00002", "control character"],
  ])("unless a line is not clear: %j", (line, problem) => {
    const [only = "", ...others] = parseEnvironmentFile(`B=1\n${line}\n`).match(
      () => [],
      (problems) => problems,
    );
    expect(only).toMatch(/^Line 2 .*\.$/);
    expect(only).toContain(problem);
    expect(others).toEqual([]);
    expect(only).not.toContain("hunter");
  });
});

describe("--env-file", () => {
  const store = `POSTERN_SQLITE_PATH=${join(newDirectory(), "none.db")}`;

  test("configures a command, which names it on standard error only; the environment wins", async () => {
    const file = fileWith(store, "POSTERN_LINK_SECRET_FILE=/nowhere", "POSTERN_MAIL_FROM=x@postern.test");
    const wins = { POSTERN_SQLITE_PATH: join(newDirectory(), "wins.db"), POSTERN_LINK_SECRET: "" };
    const { output, errors, status } = await run(wins, "export", "--env-file", file);
    expect([output, status]).toEqual(["", 1]);
    expect(errors).toContain(`Configuration: ${file}, but POSTERN_SQLITE_PATH from the environment\n`);
    expect(errors).toContain("wins.db");
    const secret = { POSTERN_LINK_SECRET: environment.POSTERN_LINK_SECRET };
    const other = await run(secret, "--env-file", file, "mailbox", "release", "ada@postern.test");
    expect(other.errors).toContain("but POSTERN_LINK_SECRET_FILE from the environment\n");
    expect(other.errors).not.toContain("/nowhere");
    expect(other.errors).toContain("none.db");
  });

  test("leaves --json, --help and --version as they are", async () => {
    const file = fileWith(...Object.entries(environment).map((pair) => pair.join("=")), "POSTERN_X=1");
    const { output, errors } = await run({}, "doctor", "--json", "--env-file", file);
    expect(JSON.parse(output)).toContainEqual(
      expect.objectContaining({ check: "configuration", found: expect.stringContaining("POSTERN_X is not") }),
    );
    expect(errors).toMatch(/^Configuration: .*\nWrong: /);
    for (const option of ["--help", "--version"]) {
      expect(await run({}, option, "--env-file", "/nowhere")).toMatchObject({ status: 0, errors: "" });
    }
  });

  test("must exist, and must be clear", async () => {
    expect(await run(environment, "--env-file", "/nowhere")).toEqual({
      output: "",
      errors: "/nowhere cannot be read (ENOENT).\n",
      status: 1,
    });
    const file = fileWith("A=1", "POSTERN_LINK_SECRET=hunter2#", "export B=2");
    const { output, errors, status } = await run(environment, "doctor", "--env-file", file);
    expect([output, status]).toEqual(["", 78]);
    expect(errors).toMatch(/^\S+ is not clear:\n\n {2}Line 2 .*\n {2}Line 3 .*\n$/);
    expect(errors).not.toContain("hunter2");
  });

  test("also sets what Node reads only when it starts", async () => {
    const file = fileWith(store, "NODE_OPTIONS='--import=data:text/javascript,console.error(1234)'");
    const { errors } = await run({}, "account", "list", "--env-file", file);
    expect(errors).toMatch(/^1234\nConfiguration: .*\n.*none\.db/);
    expect(errors.match(/Configuration/g)).toHaveLength(1);
  });
});

describe("/etc/postern/postern.env", () => {
  const isRoot = process.getuid?.() === 0;

  /** Runs the program where `/etc` has nothing but this file, whose directory only root can enter. */
  const runWith = async (
    content: string,
    { variables = {}, prefix = "" }: { variables?: Record<string, string>; prefix?: string },
    ...args: string[]
  ): Promise<Ran> => {
    const script = `mount -t tmpfs tmpfs /etc
      mkdir -m 700 /etc/postern
      printf '%s' "$CONTENT" > /etc/postern/postern.env
      ${prefix} "$@"`;
    const inNamespace = ["unshare", "--mount", ...(isRoot ? [] : ["--user", "--map-root-user"])];
    const [command = "", ...rest] = [...inNamespace, "sh", "-euc", script, "sh"];
    const child = spawn(command, [...rest, process.execPath, "--", main, ...args], {
      env: { PATH: process.env["PATH"], CONTENT: content, ...variables },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [output, errors, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    expectNoSecrets(output, environment);
    return { output, errors, status };
  };

  const directory = newDirectory();
  // Another user runs the program there.
  chmodSync(directory, 0o755);
  const content = `POSTERN_SQLITE_PATH=${directory}/none.db\n`;

  test("configures commands and the server", async () => {
    const listed = await runWith(content, {}, "account", "list");
    expect(listed.errors).toContain("Configuration: /etc/postern/postern.env\n");
    expect(listed.errors).toContain("none.db");
    const served = await runWith("POSTERN_STORE=memory\n", {});
    expect(served.errors).toMatch(
      /^Configuration: \/etc\/postern\/postern\.env\nThe configuration is invalid:/,
    );
  });

  test("is about the store, the spool and the key of the units, unless it says otherwise", async () => {
    const { errors } = await runWith("", {}, "account", "list");
    expect(errors).toContain("/var/lib/postern/postern.db");
    for (const [name, path] of Object.entries(SET_BY_UNITS)) {
      const units = ["postern.service", "postern-mail.conf"].map((file) =>
        readFileSync(new URL(`../../../deploy/systemd/${file}`, import.meta.url), "utf8"),
      );
      expect(units.join("")).toMatch(RegExp(`^Environment=(?:.* )?${name}=${path}$`, "m"));
    }
  });

  test("is not read where systemd has, in the process that it started", async () => {
    const prefix = "SYSTEMD_EXEC_PID=$$; export SYSTEMD_EXEC_PID; exec";
    const { errors } = await runWith(content, { variables: environment, prefix }, "account", "list");
    expect(errors).toBe(
      "The memory store does not outlive a process: set POSTERN_STORE to sqlite, postgres or dynamodb.\n",
    );
  });

  test.runIf(isRoot)("is asked for in plain words by a user who may not read it", async () => {
    const prefix = "exec setpriv --reuid=65534 --clear-groups";
    const hint =
      "/etc/postern/postern.env cannot be read (EACCES): run this as root, or name another file with --env-file.\n";
    expect(await runWith(content, { prefix }, "account", "list")).toEqual({
      output: "",
      errors: hint,
      status: 1,
    });
    // Configured in another way, it goes on.
    const configured = await runWith(content, { variables: environment, prefix }, "account", "list");
    expect(configured.errors).toMatch(/ --env-file\.\nThe memory store /);
  });
});

test("a file that only root can read is read from systemd's copy of it", async () => {
  const credentials = newDirectory();
  writeFileSync(join(credentials, "link-secret"), environment.POSTERN_LINK_SECRET, { mode: 0o400 });
  const variables = {
    ...environment,
    POSTERN_LINK_SECRET: "",
    POSTERN_LINK_SECRET_FILE: "/nowhere/link-secret",
    POSTERN_MX_PORT: "0",
    POSTERN_MX_NAME: "mx.postern.test",
    POSTERN_POSTMASTER: "operator@postern.test",
    POSTERN_DKIM_SELECTOR: "postern1",
    POSTERN_DKIM_KEY: "/nowhere/dkim.pem",
  };
  const without = await run(variables, "doctor");
  expect(without.output).toMatch(
    /^wrong +configuration +.*\/nowhere\/link-secret, which cannot be read \(ENOENT\)/m,
  );
  expect(without.output).toMatch(/^wrong +dkim-key +\/nowhere\/dkim\.pem cannot be read \(ENOENT\)/m);
  writeFileSync(join(credentials, "dkim.pem"), "not a key");
  const passed = await run({ ...variables, CREDENTIALS_DIRECTORY: credentials }, "doctor");
  expect(passed.output).toMatch(/^warning +configuration .*memory/m);
  expect(passed.output).toMatch(/^wrong +dkim-key +\/nowhere\/dkim\.pem is not an unencrypted private key/m);
});
