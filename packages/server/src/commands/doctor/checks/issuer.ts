import {
  checkIssuer,
  type IssuerCheck,
  type KeyAddress,
  type RequiredClaim,
  SKEW,
} from "@postern/adapter-http";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { checkOf, type Found, fine, skippedAfter, warning, wrong } from "../check.ts";

type Authorizer = "token" | "gateway";

/** Which keys there are, such as `keys for RS256: 2, for ES256: 1`. */
const listed = (algorithms: readonly string[]): string =>
  `keys ${Array.from(Map.groupBy(algorithms, String), ([name, { length }]) => `for ${name}: ${length}`).join(", ")}`;

/** Who says that the keys are there. */
const SOURCES = {
  setting: `which ${ENV.jwksUri} names`,
  issuer: "which its openid-configuration names",
  default: "the usual place: it publishes no openid-configuration",
} as const satisfies Record<KeyAddress["from"], string>;

const keysAction = (reason: string, { published, address }: IssuerCheck): string => {
  if (address.isErr() && published.isOk()) {
    return `Set ${ENV.issuer} to exactly what the issuer calls itself; or, if its tokens name something else, set ${ENV.jwksUri} to the https URL of its keys`;
  }
  if (address.isOk() && address.value.from === "setting" && published.isOk()) {
    return `Remove ${ENV.jwksUri}: the issuer publishes that its keys are at ${published.value.jwksUri}`;
  }
  if (/HTTP [34]/.test(reason)) {
    return `Correct ${ENV.issuer}; or, if the issuer's keys are elsewhere, set ${ENV.jwksUri} to the location that its documentation gives. Redirects are not followed`;
  }
  if (reason.startsWith("no key")) {
    return "Have the issuer sign with RS256 and keys of at least 2048 bits, with ES256, or with EdDSA (Ed25519)";
  }
  if (/CERT|SSL|TLS|ALTNAME/.test(reason)) {
    return "Its certificate is not trusted here: update this machine's certificates (ca-certificates), or set NODE_EXTRA_CA_CERTS for a private one";
  }
  return `Check ${ENV.issuer}, and that this machine may reach it (DNS, firewall, proxy): try curl. Keys fetched before work for 24 hours`;
};

/** Whether the issuer's keys can be fetched, and can verify tokens. */
const issuerKeys = (report: IssuerCheck, by: Authorizer): Found => {
  if (by === "gateway") return fine("not needed: the gateway verifies the signatures of tokens");
  const { address, keys } = report;
  const from = address.isOk() ? ` from ${address.value.uri}` : "";
  if (keys.isErr())
    return wrong(`no keys${from} (${keys.error.reason})`, keysAction(keys.error.reason, report));
  return fine(`${listed(keys.value)},${from}${address.isOk() ? `, ${SOURCES[address.value.from]}` : ""}`);
};

/** The issuer publishes nothing about itself. Keys found under its own URL show that it is an issuer; keys from elsewhere do not. */
const unpublished = (reason: string, keysElsewhere: boolean): Found => {
  if (!/^HTTP 4|^not a/.test(reason)) {
    return warning(
      `${ENV.issuer} could not be compared with the issuer's openid-configuration (${reason})`,
      `Check ${ENV.issuer}, and that this machine may reach it`,
    );
  }
  return keysElsewhere
    ? warning(
        `nothing shows that ${ENV.issuer} is right: it publishes no openid-configuration, and its keys come from ${ENV.jwksUri}`,
        `Compare ${ENV.issuer} with the iss claim of a token: all others are refused`,
      )
    : fine(`it publishes no openid-configuration to compare ${ENV.issuer} with`);
};

/** Whether the issuer calls itself exactly what the server expects in tokens. */
const issuerName = (
  { published, keys }: IssuerCheck,
  configured: string,
  by: Authorizer,
  jwksUri: string | undefined,
): Found => {
  if (published.isErr()) return unpublished(published.error.reason, jwksUri !== undefined && by === "token");
  const { issuer, jwksUri: publishedUri } = published.value;
  if (issuer !== configured) {
    const calls = `the issuer calls itself ${issuer}, but ${ENV.issuer} is ${configured}`;
    const action = `Set ${ENV.issuer} to exactly the iss claim of its tokens, which is what an issuer should call itself`;
    if (`${configured}/` === issuer || configured === `${issuer}/`) {
      return wrong(`${calls} (the slash at the end counts): tokens are refused`, action);
    }
    return jwksUri === undefined && by === "token"
      ? wrong(
          `${calls}: its keys are not used`,
          `${action}. If they name something else, set ${ENV.jwksUri} too`,
        )
      : // Some stand-ins for issuers publish a different name than the one in their tokens.
        warning(`${calls}: tokens are accepted only if they name ${ENV.issuer}`, action);
  }
  // If there are no keys at all, the check of the keys says what to do.
  if (jwksUri !== undefined && publishedUri !== jwksUri && by === "token" && keys.isOk()) {
    return warning(
      `the issuer publishes its keys at ${publishedUri}, but they are fetched from ${jwksUri}`,
      `Remove ${ENV.jwksUri}, unless this is intentional`,
    );
  }
  return fine(`calls itself ${issuer}, which matches ${ENV.issuer}`);
};

/** In seconds. */
const NOTICEABLE = 5;

/** Whether this machine's clock agrees with the issuer's, as closely as tokens require. */
const clock = ({ clock: difference }: IssuerCheck): Found => {
  if (difference === null) {
    return warning(
      "could not be compared: no response from the issuer gives the time",
      "Compare it yourself: timedatectl",
    );
  }
  const { from, to } = difference;
  const certain = Math.trunc(Math.max(from, 0, -to) / 1000);
  if (certain < NOTICEABLE) {
    return fine(`agrees with the issuer's to within ${Math.ceil(Math.max(-from, to) / 1000)} s`);
  }
  const found = `this machine's clock is ${certain} s ${from > 0 ? "ahead of" : "behind"} the issuer's`;
  const action =
    "Synchronize the clock of this machine (timedatectl set-ntp true, or chrony), and if it is right, that of the issuer";
  const consequence = from > 0 ? "tokens expire too early" : "new tokens are refused as not yet valid";
  return certain < SKEW ? warning(found, action) : wrong(`${found}: ${consequence}`, action);
};

/** Issuers at which anybody can have an identity: Google, and Microsoft for personal accounts. */
const OPEN_TO_ALL: ReadonlySet<string> = new Set([
  "https://accounts.google.com",
  "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
]);

/** Who may have an account. The value of the claim is not shown, because it can be an email address. */
export const accounts = (issuer: string, required: RequiredClaim | undefined): Found => {
  if (required !== undefined)
    return fine(`for those whose tokens have, in ${required.name}, what ${ENV.requiredClaim} says`);
  const everybody = `for everybody who gets a token for ${ENV.audience}: ${ENV.requiredClaim} is not set`;
  return OPEN_TO_ALL.has(issuer)
    ? warning(
        everybody,
        `Restrict who may sign in there, or set ${ENV.requiredClaim}: docs/identity.md says how`,
      )
    : fine(everybody);
};

/** What the issuer of tokens publishes, its clock, and whose tokens lead to an account. */
export const issuer = checkOf({
  names: ["issuer-keys", "issuer", "clock", "accounts"],
  variables: Variables.pick({ issuer: true, jwksUri: true, authorizer: true, requiredClaim: true }),
  run: async ({ issuer, jwksUri, authorizer, requiredClaim }) => {
    if (authorizer === "none" || issuer === undefined) {
      const found =
        authorizer === "none"
          ? fine(`not used: ${ENV.authorizer} is none, so nobody can use the API`)
          : skippedAfter("configuration");
      return { "issuer-keys": found, issuer: found, clock: found, accounts: found };
    }
    const report = await checkIssuer({ issuer, jwksUri });
    return {
      "issuer-keys": issuerKeys(report, authorizer),
      issuer: issuerName(report, issuer, authorizer, jwksUri),
      clock: clock(report),
      accounts: accounts(issuer, requiredClaim),
    };
  },
});
