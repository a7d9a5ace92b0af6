import type { AliasPlace } from "@postern/core";

/** The alias as the key of a map. */
export const placeOf = ({ account, id }: AliasPlace): string => JSON.stringify([account, id]);
