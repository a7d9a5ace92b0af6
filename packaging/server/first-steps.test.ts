import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { block } from "../../scripts/document-blocks.ts";
import { newOperator, succeeds } from "./operator.ts";

test("the first steps in the tarball start a server", async () => {
  const operator = await newOperator();
  onTestFinished(operator.stop);
  const { machine } = operator;
  await operator.install();
  const folder = join(machine.root, "here");
  cpSync(machine.path("/opt/postern/"), folder, { recursive: true });

  await succeeds(machine, block("deploy/release/README.md", "Postern's server"), folder);
  operator.configure(join(folder, "postern.env"));
  const start = block("deploy/release/README.md", "Postern's server", 1).trim();
  const served = machine.sh(`${start} > served & echo $! > server; wait`, {}, folder);
  await expect.poll(() => operator.request("GET", "/health").catch(() => null)).toEqual({ status: "ok" });
  await succeeds(machine, "kill $(cat server)", folder);
  expect(await served).toMatchObject({ status: 0, errors: expect.not.stringContaining("rror:") });
});
