import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { treeUsage } from "../support/tree-usage.ts";

/** In microseconds. `/proc` rounds the time of each process down. */
const CPU = 200_000;
const ROUNDING = 20_000;

const WORK = `while (process.cpuUsage().user < ${CPU});`;
const DONE = `console.log("done"); setInterval(() => {}, 1000);`;
const startNode = (start: "spawn" | "spawnSync", program: string) =>
  `require("node:child_process").${start}(process.execPath, ["-e", ${JSON.stringify(program)}], { stdio: "inherit" });`;

test.runIf(process.platform === "linux").each([
  ["of a process", WORK + DONE],
  [
    "of its child",
    `const child = ${startNode("spawn", WORK + DONE)} process.once("SIGTERM", () => { child.kill(); process.exit(); });`,
  ],
  ["of its child that has ended", startNode("spawnSync", WORK) + DONE],
])("the CPU time %s counts", async (_, program) => {
  const root = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    root.kill();
    await once(root, "exit");
  });
  await once(root.stdout, "data");
  expect(treeUsage(root.pid).cpu).toBeGreaterThan(CPU - ROUNDING);
});
