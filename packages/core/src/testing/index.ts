export { KEY_LIKE_IDS } from "./key-like-ids.ts";
export { type SentMail, type TestPorts, testPorts } from "./ports.ts";
export { testBody, testMessage } from "./test-message.ts";
export { failureOf, valueOf } from "./value-of.ts";
