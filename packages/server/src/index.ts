export type { Replacements } from "./compose.ts";
export { type Configuration, type ConfigurationProblem, readConfiguration } from "./configuration.ts";
export type { CannotOpenStore } from "./opened-store.ts";
export { type CannotListen, type RunningServer, startServer } from "./start-server.ts";
