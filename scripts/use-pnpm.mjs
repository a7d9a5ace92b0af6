/*
 * Before `npm start` and `npm test`, which cannot work: npm cannot install this workspace. Any Node can run this.
 */
import { basename } from "node:path";

const { npm_execpath: program = "", npm_lifecycle_event: event = "" } = process.env;

if (basename(program) === "npm-cli.js") {
  process.stderr.write(`This workspace needs pnpm: npx -y pnpm@12 ${event.replace(/^pre/, "")}\n`);
  process.exitCode = 1;
}
