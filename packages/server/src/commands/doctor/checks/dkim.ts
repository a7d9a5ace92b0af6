import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { readDkimKey } from "../../../mail-identity/dkim-key.ts";
import { dkimName } from "../../../mail-identity/published-records.ts";
import { checkOf, type Found, fine, skippedAfter, together, warning, wrong } from "../check.ts";
import { type Lookups, lookups } from "./dns.ts";

const PUBLISH = "`mail records` prints what to publish";

/** The tags of a DKIM record (RFC 6376, section 3.2), without white space in their values. */
const tagsOf = (record: string): ReadonlyMap<string, string> =>
  new Map(
    record.split(";").map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return [name.trim(), value.join("=").replaceAll(/\s/g, "")];
    }),
  );

/** Whether the key is published at this name, so that signatures can be verified. */
const published = (name: string, publicKey: string, dns: Lookups): Promise<Found> =>
  dns.texts(name, (texts) => {
    const [record, ...more] = texts.map(tagsOf).filter((tags) => tags.has("p"));
    const refused = "signatures cannot be verified";
    if (record === undefined) return wrong(`there is no key at ${name}: ${refused}`, PUBLISH);
    if (more.length > 0) {
      return wrong(`there are ${more.length + 1} keys at ${name}: ${refused}`, "Remove all but one of them");
    }
    if (record.get("p") !== publicKey) {
      return wrong(
        `the key at ${name} is not that of ${ENV.dkimKey}: ${refused}`,
        `${PUBLISH}. For a new key, use a new ${ENV.dkimSelector}`,
      );
    }
    return record.get("t")?.split(":").includes("y")
      ? warning(
          `the key at ${name} is marked as a test (t=y): signatures may be ignored`,
          "Remove t=y from the record",
        )
      : fine(`the key at ${name} is that of ${ENV.dkimKey}`);
  });

/** Whether forwarded mail can be signed, and the signatures can be verified. */
export const dkim = checkOf({
  names: ["dkim-key", "dns-dkim"],
  variables: Variables.pick({ dkimKey: true, dkimSelector: true, aliasDomains: true, dns: true }).required({
    dkimKey: true,
    dkimSelector: true,
  }),
  run: async ({ dkimKey: path, dkimSelector, aliasDomains, dns }) => {
    const key = readDkimKey(path);
    if (key.isErr()) {
      return {
        "dkim-key": wrong(
          `${path} ${key.error}`,
          `Correct ${ENV.dkimKey}, or make a new key with \`mail key\``,
        ),
        "dns-dkim": skippedAfter("dkim-key"),
      };
    }
    const { bits, publicKey, exposedMode } = key.value;
    const names = aliasDomains.map((domain) => dkimName(dkimSelector, domain));
    const found = await Promise.all(names.map((name) => published(name, publicKey, lookups(dns))));
    return {
      "dkim-key":
        exposedMode === null
          ? fine(`${path} has an RSA key of ${bits} bits`)
          : warning(
              `${path} has mode ${exposedMode}: other users can sign as the alias domains`,
              "Change the mode with chmod 600. If someone could have read it, make a new key",
            ),
      "dns-dkim": together(...found),
    };
  },
});
