/*
 * Before `npm start` and `npm test`, which cannot work: npm cannot install this workspace. Any Node can run this.
 */
const { npm_config_user_agent: agent = "", npm_lifecycle_event: event = "" } = process.env;

if (!agent.startsWith("pnpm/")) {
  process.stderr.write(`This workspace needs pnpm: npx -y pnpm@12 ${event.replace(/^pre/, "")}\n`);
  process.exitCode = 1;
}
