import type { Domain } from "@postern/core";
import type { PublishedConfiguration } from "../configuration/configuration.ts";
import { isLocal } from "./is-local.ts";

/** A DNS record to publish. */
export type PublishedRecord = {
  readonly domain: Domain;
  /** The full name, without a trailing dot. */
  readonly name: string;
  readonly type: "MX" | "TXT";
  /** The whole value: text is not split into strings. Null if only the operator can know it. */
  readonly value: string | null;
  /** What it is for, in words, without a period at the end. */
  readonly purpose: string;
};

/** Where the public key is published. */
export const dkimName = (selector: string, domain: Domain): string => `${selector}._domainkey.${domain}`;

const dkimValue = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`;

export const dkimRecord = (selector: string, publicKey: string, domain: Domain): PublishedRecord => ({
  domain,
  name: dkimName(selector, domain),
  type: "TXT",
  value: dkimValue(publicKey),
  purpose: `DKIM: the public key for verifying mail signed for ${domain}`,
});

/** Everything that must be published for the alias domains, in their order. */
export const publishedRecords = (
  { aliasDomains, name, dkimSelector, relayUrl }: PublishedConfiguration,
  publicKey: string,
): readonly PublishedRecord[] =>
  aliasDomains.flatMap((domain) => [
    {
      domain,
      name: domain,
      type: "MX" as const,
      value: `10 ${name}.`,
      purpose: `MX: routes mail for aliases of ${domain} to this server`,
    },
    spfRecord(domain, name, relayUrl),
    dkimRecord(dkimSelector, publicKey, domain),
    {
      domain,
      name: `_dmarc.${domain}`,
      type: "TXT" as const,
      value: "v=DMARC1; p=none",
      purpose:
        "DMARC: what receivers do with mail from this domain that fails authentication. Once forwarded mail arrives with dmarc=pass, change it to p=reject: nobody else sends for this domain",
    },
  ]);

const spfRecord = (domain: Domain, name: string, relayUrl: string): PublishedRecord => {
  const record = { domain, name: domain, type: "TXT" as const };
  return isLocal(relayUrl)
    ? {
        ...record,
        value: "v=spf1 mx -all",
        purpose: `SPF: mail from this domain comes only from the addresses of ${name}. If this machine sends from others, add them: ip4:… or ip6:…`,
      }
    : {
        ...record,
        value: null,
        purpose: `SPF: mail from this domain comes only from the relay ${hostOf(relayUrl)}. Its provider says what to write here, usually v=spf1 include:… -all`,
      };
};

const hostOf = (url: string): string => URL.parse(url)?.hostname ?? "";

/** The longest string in a TXT record (RFC 1035, section 3.3.14). */
const MAX_STRING = 255;

const strings = (text: string): string => {
  const parts = text.match(new RegExp(`.{1,${MAX_STRING}}`, "g")) ?? [];
  const quoted = parts.map((part) => `"${part}"`);
  return quoted.length === 1 ? quoted.join("") : `( ${quoted.join(" ")} )`;
};

const dataOf = ({ type, value }: PublishedRecord): string => {
  if (value === null) return '"…"';
  return type === "TXT" ? strings(value) : value;
};

/**
 * The record as lines of a zone file (RFC 1035, section 5), with its purpose as a comment. A record whose value only the
 * operator can know is commented out.
 */
export const zoneLines = (record: PublishedRecord): readonly string[] => [
  `; ${record.purpose}.`,
  `${record.value === null ? "; " : ""}${record.name}. IN ${record.type} ${dataOf(record)}`,
];
