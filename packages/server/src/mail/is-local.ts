import { isLoopback } from "@postern/adapter-http";

/** Whether the relay runs on this machine, so that this machine's address is what delivers mail to others. */
export const isLocal = (relayUrl: string): boolean => isLoopback(URL.parse(relayUrl)?.hostname ?? "");
