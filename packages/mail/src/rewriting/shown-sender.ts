import type { NamedMailbox } from "../header/address-list.ts";
import { comparableDomain } from "../header/authors.ts";
import { visibleText } from "../header/encoded-words.ts";

/** In characters. Names are for people; addresses are never longer than this (RFC 3696, erratum 1690). */
const MAX_NAME = 100;
const MAX_ADDRESS = 254;

const cut = (text: string, length: number): string =>
  [...text.slice(0, 2 * length)].slice(0, length).join("").replace(/ $/, "");

/** The name as people read it. */
export const shownName = (name: string): string => cut(visibleText(name), MAX_NAME);

/** A U-label can look like another one; its A-label cannot. */
const withAsciiDomain = (address: string): string => {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  return at === 0 || !/\P{ASCII}/u.test(domain)
    ? address
    : address.slice(0, at) + (comparableDomain(domain) ?? domain.replace(/\P{ASCII}/gu, "?"));
};

/** The address on one line, with its domain in ASCII, even if it is not valid. */
export const shownAddress = (address: string): string =>
  cut(visibleText(withAsciiDomain(address)).replaceAll(" ", ""), MAX_ADDRESS);

const inWords = (address: string): string => shownAddress(address).replaceAll("@", " at ");

/** The display name of a reverse address, which shows who it stands for. */
export const shownSender = ({ name, address }: NamedMailbox, unverified = false): string => {
  const isAddress = shownAddress(name).toLowerCase() === shownAddress(address).toLowerCase();
  const ownName = isAddress ? "" : shownName(name);
  const details = [
    ...(address === "" || ownName === "" ? [] : [inWords(address)]),
    ...(unverified ? ["unverified"] : []),
  ];
  const subject = ownName || inWords(address) || "unknown sender";
  return details.length === 0 ? subject : `${subject} (${details.join(", ")})`;
};
