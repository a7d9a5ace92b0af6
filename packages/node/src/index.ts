export { type LinkSecretsInvalid, parseLinkSecrets } from "./link-secrets.ts";
export { type NodePorts, nodePorts } from "./node-ports.ts";
export { type NodeSecretsSettings, nodeRandom, nodeSecrets } from "./node-secrets.ts";
export { systemClock } from "./system-clock.ts";
export { uuids } from "./uuids.ts";
