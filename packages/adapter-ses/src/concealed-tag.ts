import type { Concealment } from "@postern/core";
import * as z from "zod";
import type { SesTag } from "./sender-tag.ts";

/** The longest value that SES takes, in characters. */
const MAX_VALUE = 256;

/** A tag that conceals these texts; null if they do not fit into one. */
export const concealedTag = (
  { name: Name, context }: { readonly name: string; readonly context: string },
  texts: readonly string[],
  { conceal }: Pick<Concealment, "conceal">,
): SesTag | null => {
  const Value = conceal(JSON.stringify(texts), context);
  return Value.length <= MAX_VALUE ? { Name, Value } : null;
};

const Texts = z.array(z.string());

/** The texts that the value of a tag conceals; null for anything that `concealedTag` has not made in this context. */
export const revealedTag = (
  value: string,
  { context }: { readonly context: string },
  { reveal }: Pick<Concealment, "reveal">,
): readonly string[] | null => {
  const revealed = reveal(value, context);
  return revealed === null ? null : Texts.parse(JSON.parse(revealed));
};
