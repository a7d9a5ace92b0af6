import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Check, fine } from "../src/commands/doctor/check.ts";
import { ask, isHealthy } from "../src/commands/doctor/checks/ask.ts";
import { diagnose } from "../src/commands/doctor/diagnose.ts";
import { sizeOf } from "../src/commands/doctor/size-of.ts";

/* What real parts cannot be made to do within a test: checks that hang or fail. */

describe("a check", () => {
  const names = ["first", "second"];

  test("that never ends is wrong after its deadline", async () => {
    const hanging: Check = { names, deadlineMs: 50, run: () => new Promise(() => {}) };
    const findings = await diagnose(hanging, {});
    expect(findings.map(({ check, status }) => [check, status])).toEqual([
      ["first", "wrong"],
      ["second", "wrong"],
    ]);
    expect(findings[0]?.found).toBe("could not be checked (no result within 0.05 seconds)");
  });

  test("that throws is wrong, and its message is not shown", async () => {
    const error = Object.assign(new Error("user@mail.test"), { code: "EIO" });
    const broken: Check = { names, run: () => Promise.reject(error) };
    const [finding] = await diagnose(broken, {});
    expect(finding?.found).toBe("could not be checked (unexpected error: EIO)");
  });

  test("that ends in time reports its findings", async () => {
    const findings = names.map((check) => ({ check, ...fine("well") }));
    expect(await diagnose({ names, run: async () => findings }, {})).toBe(findings);
  });
});

test("a response to /health that never ends is not read further, and is not Postern's", async () => {
  const server = createServer((_, response) => {
    const write = () => {
      while (response.write("x".repeat(1_000)));
    };
    response.on("drain", write).on("error", () => {});
    write();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const answer = await ask(`http://127.0.0.1:${port}/health`);
  expect(answer.map(isHealthy).unwrapOr(null)).toBe(false);
});

test.each([
  [0, "0 bytes"],
  [1023, "1023 bytes"],
  [1024, "1.0 KiB"],
  [73_728, "72 KiB"],
  [1.5 * 2 ** 30, "1.5 GiB"],
  [2 ** 50, "1024 TiB"],
])("%i bytes are %s", (bytes, text) => expect(sizeOf(bytes)).toBe(text));
