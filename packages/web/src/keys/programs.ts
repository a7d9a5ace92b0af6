import type { Schemas } from "@postern/client";

export type Scope = Schemas["Scope"];

/** In the order in which they are shown. */
export const SCOPES = [
  "aliases:create",
  "aliases:read",
  "aliases:write",
  "recipients:read",
  "messages:read",
] as const satisfies readonly Scope[];

/** What a key can be for. Whoever chooses `program` says what it may do. */
export const USES = ["passwordManager", "extension", "program"] as const;
export type Use = (typeof USES)[number];

const PASSWORD_MANAGER: readonly Scope[] = ["aliases:create"];
const EXTENSION: readonly Scope[] = ["aliases:create", "aliases:read", "aliases:write", "recipients:read"];

/** What a program needs for a use; null if its owner says so. */
export const scopesFor: Readonly<Record<Use, readonly Scope[] | null>> = {
  passwordManager: PASSWORD_MANAGER,
  extension: EXTENSION,
  program: null,
};

/** What a program wants to be told besides the key. */
export type Value = "address" | "domain";

/** What docs/password-managers.md says: the scopes that each program needs, and what it asks for. */
export const PROGRAMS = {
  bitwarden: { needs: PASSWORD_MANAGER, asks: ["address"] },
  bitwardenDomain: { needs: PASSWORD_MANAGER, asks: ["domain", "address"] },
  keyguard: { needs: PASSWORD_MANAGER, asks: ["domain", "address"] },
  simpleLogin: { needs: EXTENSION, asks: ["address"] },
  addy: { needs: EXTENSION, asks: ["address"] },
  other: { needs: [], asks: ["address"] },
} as const satisfies Readonly<
  Record<string, { readonly needs: readonly Scope[]; readonly asks: readonly Value[] }>
>;
export type Program = keyof typeof PROGRAMS;

/** Those which can do with the key what they are for, the likeliest first. */
export const programsFor = (key: Schemas["ApiKey"]): readonly Program[] => {
  const known: readonly Program[] = ["bitwarden", "bitwardenDomain", "keyguard", "simpleLogin", "addy"];
  const found = known.filter((each) => PROGRAMS[each].needs.every((scope) => key.scopes.includes(scope)));
  const isExtension = EXTENSION.every((scope) => key.scopes.includes(scope));
  const sorted = isExtension
    ? found.toSorted((one, other) => PROGRAMS[other].needs.length - PROGRAMS[one].needs.length)
    : found;
  return [...sorted, "other"];
};
