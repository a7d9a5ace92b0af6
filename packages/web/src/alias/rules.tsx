import type { Schemas } from "@postern/client";
import { words } from "../words/words.ts";

export const Rules = (_: { readonly alias: Schemas["Alias"] }) => <h2>{words.rules.title}</h2>;
