export type { Check, OpenStore } from "./check.ts";
export { contract } from "./contract.ts";
