export type { Check, OpenStore } from "./check.ts";
export { contract } from "./contract.ts";
export type { Part } from "./parts.ts";
export type { OpenedSpool, OpenSpool, SpoolCheck } from "./spool/spool-check.ts";
export { spoolContract } from "./spool/spool-contract.ts";
