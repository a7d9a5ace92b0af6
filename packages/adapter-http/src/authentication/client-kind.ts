import type { IncomingHttpHeaders } from "node:http";
import type { ClientKind } from "@postern/core";

const EXTENSION = /^(?:chrome|moz|safari-web)-extension:/;
const MOBILE = /\b(?:Android|iPhone|iPad|Mobile|okhttp|CFNetwork|Dart)\b/;
const DESKTOP = /\bElectron\//;

/** The kind of program that sends a request, as far as its headers show. */
export const clientKind = ({ origin = "", "user-agent": agent = "" }: IncomingHttpHeaders): ClientKind => {
  if (EXTENSION.test(origin)) return "browser_extension";
  if (DESKTOP.test(agent)) return "desktop_app";
  if (MOBILE.test(agent)) return "mobile_app";
  return agent.startsWith("Mozilla/") ? "browser" : "program";
};
