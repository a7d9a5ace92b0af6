import { createRequire } from "node:module";
import { main } from "@postern/test-support/built-server";
import type * as server from "../../src/index.ts";

const released: typeof server = createRequire(main)("./index.js");

/**
 * The server as a release has it, in this process: for one that receives mail, whose threads need a tenth of the time to start that they
 * need from the sources.
 */
export const { startServer } = released;
