export {
  accountId,
  aliasId,
  emailAddress,
  KEY_LIKE_IDS,
  recipientId,
  recipientIds,
} from "./arbitraries.ts";
export { type SentMail, type TestPorts, testPorts } from "./ports.ts";
