import { isLoopback } from "@postern/adapter-http/settings";

/** Whether the relay runs on this machine, so that mail to others is delivered from this machine's address. */
export const isLocal = (relayUrl: string): boolean => isLoopback(URL.parse(relayUrl)?.hostname ?? "");
