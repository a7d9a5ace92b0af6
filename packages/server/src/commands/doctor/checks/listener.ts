import { isIPv6 } from "node:net";
import { type Finding, wrong } from "../check.ts";
import { localAddress } from "./local-address.ts";

export const placeOf = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** The URL at which this machine reaches a listener. */
export const urlOf = (host: string, port: number): string => `http://${placeOf(localAddress(host), port)}`;

/** A listener: the check about it, and the variables that configure its address. */
export type Listener = { readonly name: string; readonly host: string; readonly port: string };

/** Why a server cannot listen at `place`, from the system's code. */
export const notListening = ({ name, host, port }: Listener, place: string, code: string): Finding => {
  switch (code) {
    case "EADDRINUSE":
      return wrong(
        name,
        `${place} is in use by something that is not Postern`,
        `Stop it (ss -ltnp shows what it is), or set ${port} to another port`,
      );
    case "EACCES":
      return wrong(name, `this user is not allowed to listen on ${place}`, `Set ${port} to 1024 or higher`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return wrong(name, `${host} (${place}) is not an address of this machine`, `Correct ${host}`);
    default:
      return wrong(name, `a server cannot listen on ${place} (${code})`, `Correct ${host} and ${port}`);
  }
};
