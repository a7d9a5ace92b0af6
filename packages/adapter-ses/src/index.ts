export { checkSes, type SesAccount, type SesCheck, type SesIdentity } from "./check-ses.ts";
export { type SesRelaySettings, sesRelay } from "./relay/ses-relay.ts";
export type { SesLocation } from "./ses-client.ts";
export { type SesMailSettings, sesMail } from "./ses-mail.ts";
