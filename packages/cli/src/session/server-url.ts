import { Stop } from "../stop.ts";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The address of a server, without a slash at its end.
 *
 * @param from where it was given, for the message
 * @throws Stop if it is none, or if a token sent there could be read on the way
 */
export const parseServerUrl = (text: string, from: string): string => {
  const url = URL.parse(text);
  const isWeb = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  if (!isWeb || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Stop("usage", `${from} must be the address of a server, such as https://postern.example.`);
  }
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw new Stop(
      "usage",
      `${from} must begin with https://, because the token would be sent in the clear.`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
};

/** The address that the command line or the environment names; null if neither does. */
export const givenUrl = (option: string | undefined): string | null => {
  if (option !== undefined) return parseServerUrl(option, "--url");
  const variable = process.env["POSTERN_URL"];
  return variable ? parseServerUrl(variable, "POSTERN_URL") : null;
};
