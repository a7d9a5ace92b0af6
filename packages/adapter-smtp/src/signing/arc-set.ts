import { type Authentication, type HeaderField, HeaderFields } from "@postern/mail";
import type { Rsa } from "./rsa-key.ts";
import { signedField } from "./signature.ts";

const SEAL = "arc-seal";
const MESSAGE_SIGNATURE = "arc-message-signature";
const RESULTS = "arc-authentication-results";
/** The order in which a seal covers the fields of a set (RFC 8617, section 5.1.1). */
const ORDER = [RESULTS, MESSAGE_SIGNATURE, SEAL] as const;
/** RFC 8617, section 4.2.1. */
const MAX_INSTANCE = 50;

type ArcField = { readonly kind: (typeof ORDER)[number]; readonly instance: number; readonly field: string };

const parseArcField = ({ name, raw: field }: HeaderField): ArcField | null => {
  const kind = ORDER.find((each) => each === name);
  if (kind === undefined) return null;
  const instance = Number(
    /(?:^|[:;])[ \t\r\n]*i[ \t\r\n]*=[ \t\r\n]*(\d{1,3})[ \t\r\n]*(?:;|$)/.exec(field)?.[1],
  );
  return { kind, instance, field };
};

/** What the set of this server says about the chain before it, and which fields its seal covers. */
type Link = {
  readonly instance: number;
  readonly verdict: Authentication["arc"];
  readonly covered: readonly string[];
};

/**
 * Where the next set goes. Null if there must not be one: the chain has 50 sets, its last seal already says that it is broken
 * (RFC 8617, section 5.1, step 2), or the header is not the one whose chain was checked.
 */
const nextLink = (header: string, verdict: Authentication["arc"]): Link | null => {
  const chain = HeaderFields.split(header)
    .map(parseArcField)
    .filter((field) => field !== null);
  const last = Math.max(0, ...chain.map(({ instance }) => instance));
  if (Number.isNaN(last) || last >= MAX_INSTANCE || (verdict === "none") !== (last === 0)) return null;
  const seals = chain.filter(({ kind, instance }) => kind === SEAL && instance === last);
  if (seals.some(({ field }) => /;[ \t\r\n]*cv[ \t\r\n]*=[ \t\r\n]*fail/i.test(field))) return null;
  const covered = chain
    .toSorted((a, b) => a.instance - b.instance || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
    .map(({ field }) => field);
  // Nobody could verify a seal of a broken chain, so it covers only its own set (section 5.1.2).
  return { instance: last + 1, verdict, covered: verdict === "fail" ? [] : covered };
};

/**
 * The fields of an ARC set (RFC 8617), from the top; none if there must not be one.
 *
 * @param sign makes a signature field with these tags in front of those that all signatures have
 * @param server the authserv-id
 */
export const arcSet = async (
  header: string,
  { arc, results }: Authentication,
  server: string,
  {
    rsa,
    identity,
    sign,
  }: {
    readonly rsa: Rsa;
    /** `t=`, `d=` and `s=`. */
    readonly identity: string;
    readonly sign: (name: string, tags: readonly string[]) => Promise<string>;
  },
): Promise<readonly string[]> => {
  const link = nextLink(header, arc);
  if (link === null) return [];
  const tag = `i=${link.instance}`;
  const result = `ARC-Authentication-Results: ${tag}; ${server};\r\n\t${results}`;
  const signature = await sign("ARC-Message-Signature", [tag]);
  const seal = await signedField(
    rsa,
    "ARC-Seal",
    [`${tag}; a=rsa-sha256; cv=${link.verdict}`, identity],
    [...link.covered, result, signature],
  );
  return [seal, signature, result];
};
