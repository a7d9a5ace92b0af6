export {
  type Configuration,
  type ConfigurationProblem,
  readConfiguration,
} from "./configuration/configuration.ts";
export { createDkimKey } from "./mail-identity/dkim-key.ts";
export type { Replacements } from "./serve/composition/compose.ts";
export { type CannotListen, type RunningServer, startServer } from "./serve/start-server.ts";
export type { NoWebApp } from "./serve/web/web-files.ts";
export type { CannotOpenStore } from "./stores/open-store.ts";
