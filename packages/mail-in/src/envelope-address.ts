import { domainToASCII } from "node:url";

/** A quoted local part whose content needs no quotes (RFC 5321, section 4.1.2). */
const QUOTED = /^"((?:[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]|\\[!-~])+)"(?=@)/;

/** Whether the address needs SMTPUTF8. smtp-server shows A-labels as Unicode, so only the local part can tell. */
export const needsSmtpUtf8 = (address: string): boolean =>
  /[^\x20-\x7e]/.test(address.slice(0, address.lastIndexOf("@") + 1));

/** The address with A-labels, as the client sent it, and without needless quotes: `"shop"@a.example` is `shop@a.example`. */
export const asSent = (address: string): string => {
  const at = address.lastIndexOf("@") + 1;
  if (at === 0) return address;
  const domain = address.slice(at);
  const ascii = /[^\x20-\x7e]/.test(domain) ? domainToASCII(domain) || domain : domain;
  return (address.slice(0, at) + ascii).replace(QUOTED, (_, content: string) => content.replace(/\\/g, ""));
};
