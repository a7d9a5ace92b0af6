import type { Domain } from "@postern/core";
import { readVariables } from "../../../../configuration/configuration.ts";
import { ENV } from "../../../../configuration/names.ts";
import { Variables } from "../../../../configuration/variables.ts";
import { readDkimKey } from "../../../../mail/dkim-key.ts";
import { dkimName } from "../../../../mail/published-records.ts";
import { type Finding, fine, together, warning, wrong } from "../../check.ts";
import { skipped, skippedAfter } from "../../skipped.ts";
import { type Lookups, lookups } from "../dns.ts";
import { notAsked } from "../mail-policies.ts";
import { ifMailIsReceived } from "./if-mail-is-received.ts";

const KEY = "dkim-key";
const DNS = "dns-dkim";
const NAMES = [KEY, DNS] as const;

const Needed = Variables.pick({
  dkimKey: true,
  dkimSelector: true,
  aliasDomains: true,
  dns: true,
}).required({ dkimKey: true, dkimSelector: true });

const PUBLISH = "`mail records` prints what to publish";

/** The tags of a DKIM record (RFC 6376, section 3.2), without white space in their values. */
const tagsOf = (record: string): ReadonlyMap<string, string> =>
  new Map(
    record.split(";").map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return [name.trim(), value.join("=").replaceAll(/\s/g, "")];
    }),
  );

const published = async (name: string, publicKey: string, domain: Domain, dns: Lookups): Promise<Finding> => {
  const answer = await dns.textsOf(name);
  if ("unknown" in answer) return notAsked({ check: DNS, dns }, name, answer.unknown);
  const [record, ...more] = answer.records.map(tagsOf).filter((tags) => tags.has("p"));
  const refused = `signatures for ${domain} cannot be verified`;
  if (record === undefined) return wrong(DNS, `there is no key at ${name}: ${refused}`, PUBLISH);
  if (more.length > 0) {
    return wrong(
      DNS,
      `there are ${more.length + 1} keys at ${name}: ${refused}`,
      "Remove all but one of them",
    );
  }
  if (record.get("p") !== publicKey) {
    return wrong(
      DNS,
      `the key at ${name} is not that of ${ENV.dkimKey}: ${refused}`,
      `${PUBLISH}. For a new key, use a new ${ENV.dkimSelector}`,
    );
  }
  if (record.get("t")?.split(":").includes("y")) {
    return warning(
      DNS,
      `the key at ${name} is marked as a test (t=y): signatures may be ignored`,
      "Remove t=y from the record",
    );
  }
  return fine(DNS, `the key at ${name} is that of ${ENV.dkimKey}`);
};

/** Whether forwarded mail can be signed, and the signatures can be verified. */
export const dkim = ifMailIsReceived(NAMES, async (environment) => {
  const read = readVariables(Needed, environment);
  if (read.isErr()) return skipped(NAMES, read.error);
  const { dkimKey: path, dkimSelector: selector } = read.value;
  const key = readDkimKey(path);
  if (key.isErr()) {
    return [
      wrong(KEY, `${path} ${key.error}`, `Correct ${ENV.dkimKey}, or make a new key with \`mail key\``),
      ...skippedAfter([DNS], KEY),
    ];
  }
  const { bits, publicKey, exposedMode } = key.value;
  const dns = lookups(read.value.dns);
  const found = await Promise.all(
    read.value.aliasDomains.map((domain) => published(dkimName(selector, domain), publicKey, domain, dns)),
  );
  return [
    exposedMode === null
      ? fine(KEY, `${path} has an RSA key of ${bits} bits`)
      : warning(
          KEY,
          `${path} has mode ${exposedMode}: other users can sign as the alias domains`,
          "Change the mode with chmod 600. If someone could have read it, make a new key",
        ),
    together(DNS, found),
  ];
});
