import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { compiled, main } from "@postern/test-support/built-server";
import { freePort } from "@postern/test-support/free-port";
import { newDirectory } from "@postern/test-support/new-directory";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { ended, run, useSilentIssuer } from "./support/main-process.ts";
import { runHere } from "./support/run-here.ts";

const environment = await useSilentIssuer();

test("serves and stops even if its log is on a full disk", async () => {
  const port = await freePort();
  const full = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(full));
  const server = spawn(process.execPath, [main], {
    env: { ...compiled, ...environment, PORT: `${port}` },
    stdio: ["ignore", full, "inherit"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const exit = once(server, "exit");
  const health = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ status }) => status,
      () => "refused",
    );
  await expect.poll(health).toBe(200);
  server.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
});

describe("options", () => {
  test("--help lists the variables and requires none", async () => {
    const { output, status } = await ended(run({}, "--help"));
    expect(status).toBe(0);
    for (const name of [...Object.keys(environment), "HOST", "POSTERN_JWKS_URI", "POSTERN_LOG_LEVEL"]) {
      expect(output).toContain(`  ${name} (`);
    }
  });

  test("--version prints the version of the package", async () => {
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest));
    expect(await ended(run({}, "--version"))).toMatchObject({ output: `${version}\n`, status: 0 });
  });

  test("rejects any other option", async () => {
    expect(await runHere(environment, "--prot", "80")).toEqual({
      output: "",
      errors: "Unknown option '--prot'. --help lists all commands.\n",
      status: 1,
    });
  });

  test.each([[["backup", "--help"]], [["--help", "backup"]], [["backup", "-h", "file"]]])(
    "%j describes that command, and only that",
    async (args) => {
      const { output, status } = await runHere({}, ...args);
      expect(status).toBe(0);
      expect(output).toMatch(/^Usage: postern-server backup FILE\n/);
      expect(output).not.toMatch(/doctor|POSTERN_ISSUER/);
    },
  );
});

test("an unexpected error is reported in one line without its message; its stack is shown on request", async () => {
  // The program reads its version from its package.json.
  const code = `const { parse } = JSON; JSON.parse = (text) => {
    if (text.includes('"@postern/server"')) throw new RangeError("ada@private.test");
    return parse(text);
  };`;
  const broken = `data:text/javascript,${encodeURIComponent(code)}`;
  const runWith = async (variables: Record<string, string>) => {
    const child = spawn(process.execPath, ["--import", broken, main, "--version"], { env: variables });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [output, errors, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { output, errors, status };
  };
  expect(await runWith({})).toEqual({
    output: "",
    errors:
      "Unexpected error (RangeError). Run it again with POSTERN_LOG_LEVEL=debug to see where, and report it.\n",
    status: 1,
  });
  const { errors, status } = await runWith({ POSTERN_LOG_LEVEL: "debug" });
  expect(status).toBe(1);
  expect(errors).toMatch(/^RangeError: .*\n {4}at /);
});

test("says which Node it needs, before it loads anything that an older one cannot load", async () => {
  // Without the files that it imports.
  const alone = join(newDirectory(), "main.mjs");
  await copyFile(main, alone);
  const runOn = async (version: string) => {
    const pretend = `data:text/javascript,Object.defineProperties(process, { versions: { value: { node: "${version}" } }, version: { value: "v${version}" } })`;
    const child = spawn(process.execPath, ["--import", pretend, alone]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const [output, errors, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { output, errors, status };
  };
  for (const version of ["14.21.3", "20.20.2", "22.23.3"]) {
    expect(await runOn(version)).toEqual({
      output: "",
      errors: `postern-server needs Node 24 or later; this is v${version} (${process.execPath}).\n`,
      status: 1,
    });
  }
  expect((await runOn("24.0.0")).errors).toContain("ERR_MODULE_NOT_FOUND");
});
