/** Whether there is a store, whether it can be written, and whether its content (on DynamoDB, its table) is as it should be. */
export const [STORE, WRITES, INTEGRITY] = ["store", "store-writes", "store-integrity"] as const;

export const STORE_CHECKS = [STORE, WRITES, INTEGRITY] as const;
