#!/usr/bin/env node
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { endingOf } from "./failure.ts";
import { say } from "./output/write.ts";
import { createProgram } from "./program.ts";

const version = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "";
};

try {
  const program = createProgram(version());
  // What the scripts of `postern completion` call.
  if (process.argv[2] === "complete") {
    const { default: completing } = await import("@bomb.sh/tab/commander");
    // The typings package has other types for the same class.
    completing(program as unknown as Command);
  }
  await program.parseAsync();
} catch (error) {
  const { message, exitCode } = await endingOf(error);
  if (message !== "") say(message);
  process.exitCode = exitCode;
}
