import { WORDS } from "./words.ts";

/** The formats of the local part of a generated address. */
export const ADDRESS_FORMATS = ["random", "words", "uuid"] as const;
export type AddressFormat = (typeof ADDRESS_FORMATS)[number];

/** No vowels, so that no words appear by chance; no `l`, `0` or `1`, which are easily misread. */
const LETTERS = "bcdfghjkmnpqrstvwxyz";
const LETTERS_AND_DIGITS = `${LETTERS}23456789`;

const draw = <T>(count: number, one: () => T): readonly T[] => Array.from({ length: count }, one);

/**
 * A new, unguessable local part, in lower case. `random(n)` must return an integer from 0 to n - 1, uniformly
 * distributed and unpredictable.
 *
 * - `random`: 10 letters and digits, the first one a letter: 47 bits, as in `kq7xw2mdzf`.
 * - `words`: 4 of `WORDS`, joined by `-`: 40 bits, as in `maple-lantern-otter-violin`.
 * - `uuid`: a UUID of version 4 (RFC 9562, section 5.4): 122 bits.
 *
 * Collisions are possible, though very unlikely: on `address_taken`, generate another one.
 */
export const localPart = (format: AddressFormat, random: (below: number) => number): string => {
  const character = (alphabet: string) => alphabet.charAt(random(alphabet.length));
  switch (format) {
    case "random":
      return character(LETTERS) + draw(9, () => character(LETTERS_AND_DIGITS)).join("");
    case "words":
      return draw(4, () => WORDS[random(WORDS.length)]).join("-");
    case "uuid": {
      const hex = (digits: number) => draw(digits, () => random(16).toString(16)).join("");
      const variant = (0b1000 + random(0b100)).toString(16);
      return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
    }
  }
};
