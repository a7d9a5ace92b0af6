import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/*
 * The program, compiled once for all tests: they start it hundreds of times, and compiling takes half of the time of a short
 * command.
 */
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url)));
await import("../../src/main.ts");
