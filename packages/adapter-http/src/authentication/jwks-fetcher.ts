import { type Cause, err, ok, type Result } from "@postern/core";
import * as z from "zod";
import { because, fetchJson } from "./fetch-json.ts";
import { ALGORITHMS, type Algorithm, parseSigningKey, type SigningKey } from "./signing-key.ts";

/** The keys that may sign ID tokens, by `keyName`. */
export type Jwks = ReadonlyMap<string, SigningKey>;

/** A key is found by its id and algorithm: keys of different types may share an id (RFC 7517, section 4.5). */
export const keyName = ({
  algorithm,
  kid,
}: {
  readonly algorithm: Algorithm;
  readonly kid: string;
}): string => `${algorithm} ${kid}`;

/** The set may also contain keys for other purposes, and unusable ones; they are left out. Of two with the same name, the first counts. */
const JwksDocument = z.object({ keys: z.array(z.unknown()) }).transform(
  ({ keys }): Jwks =>
    new Map(
      keys
        .flatMap((key) => parseSigningKey(key) ?? [])
        .map((key) => [keyName(key), key] as const)
        .toReversed(),
    ),
);

export const NO_KEY = because(`no key for ${ALGORITHMS.join(", ")} in it`);

/** The keys in a document. */
export const parseJwks = (document: unknown): Result<Jwks, Cause> => {
  const parsed = JwksDocument.safeParse(document);
  return parsed.success ? ok(parsed.data) : err(because("not a JWKS"));
};

/** The issuer's current keys, fetched as by `fetchJson`. */
export const fetchJwks = async (uri: string): Promise<Result<Jwks, Cause>> =>
  (await fetchJson(uri)).andThen(({ document }) => parseJwks(document));
