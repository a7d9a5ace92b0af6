import type { NamedMailbox } from "../header/address-list.ts";
import { displayText } from "../header/encoded-words.ts";

/** In characters. Names are for people; addresses are never longer than this (RFC 3696, erratum 1690). */
const MAX_NAME = 100;
const MAX_ADDRESS = 254;

const cut = (text: string, length: number): string =>
  [...text.slice(0, 2 * length)].slice(0, length).join("").replace(/ $/, "");

export const shownName = (name: string): string => cut(name, MAX_NAME);

/** The address on one line, even if it is not valid. */
export const shownAddress = (address: string): string =>
  cut(displayText(address).replaceAll(" ", ""), MAX_ADDRESS);

const inWords = (address: string): string => shownAddress(address).replaceAll("@", " at ");

/** The display name of a reverse address, which shows who it stands for. */
export const shownSender = ({ name, address }: NamedMailbox, unverified = false): string => {
  const ownName = name.toLowerCase() === address.toLowerCase() ? "" : shownName(name);
  const details = [
    ...(address === "" || ownName === "" ? [] : [inWords(address)]),
    ...(unverified ? ["unverified"] : []),
  ];
  const subject = ownName || inWords(address) || "unknown sender";
  return details.length === 0 ? subject : `${subject} (${details.join(", ")})`;
};
