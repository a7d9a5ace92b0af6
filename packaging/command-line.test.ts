import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, inject, test } from "vitest";
import { block } from "../scripts/document-blocks.ts";
import { run } from "./run.ts";

const packed = inject("packed");

test("npm installs the command line as the document says, and it runs on the oldest Node that it claims to need", async () => {
  const clone = newDirectory();
  mkdirSync(join(clone, "out"));
  const [{ tarball } = { tarball: "" }] = packed;
  symlinkSync(dirname(tarball), join(clone, "out/packages"));
  const prefix = newDirectory();
  const install = block("docs/cli.md", "The command line");
  await run("sh", ["-euc", `export npm_config_prefix='${prefix}'\n${install}`], clone);

  const { manifest } = packed.find(({ name }) => name === "@postern/cli") ?? expect.unreachable("no tarball");
  const oldest = manifest.engines.node.replace(">=", "");
  const folder = newDirectory();
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, dependencies: { node: oldest } }),
  );
  await run("npm", ["install", "--no-audit", "--no-fund"], folder);
  const program = join(prefix, "bin/postern");
  const script = `"$1" "$2" --version && "$1" "$2" alias list --help && "$1" "$2" completion bash && "$1" "$2" complete -- al`;
  const node = join(folder, "node_modules/node/bin/node");
  await run("sh", ["-euc", script, "sh", node, program], folder);
});
