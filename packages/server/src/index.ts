export type { Replacements } from "./composition/compose.ts";
export {
  type Configuration,
  type ConfigurationProblem,
  readConfiguration,
} from "./configuration/configuration.ts";
export { createDkimKey } from "./mail/dkim-key.ts";
export { type CannotListen, type RunningServer, startServer } from "./start-server.ts";
export type { CannotOpenStore } from "./stores/open-store.ts";
