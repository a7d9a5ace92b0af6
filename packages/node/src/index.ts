export { hmacSecrets } from "./hmac-secrets.ts";
export { type LinkSecretsInvalid, parseLinkSecrets } from "./link-secrets.ts";
export { type NodePorts, nodePorts } from "./node-ports.ts";
export { systemClock } from "./system-clock.ts";
export { uuids } from "./uuids.ts";
