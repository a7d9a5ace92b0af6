export { type Check, contract, type OpenStore, testStore } from "./contract.ts";
