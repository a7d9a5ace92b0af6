export { type ArrivedMessage, authenticate, type Checked } from "./authenticate.ts";
export { asSent, needsSmtpUtf8 } from "./envelope-address.ts";
export { messageReceiver, type Transaction } from "./receive-message.ts";
export { type ArrivalRefusal, type ForLater, isForLater } from "./refusal.ts";
export { type CachingResolver, cachingResolver, type Lookup } from "./resolver.ts";
