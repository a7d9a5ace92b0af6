import { type Finding, fine } from "../check.ts";
import { STORE_CHECKS } from "./store-names.ts";

export const checkMemoryStore = async (): Promise<readonly Finding[]> =>
  STORE_CHECKS.map((name) => fine(name, "the store is in the memory of the server"));
