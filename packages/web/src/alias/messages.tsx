import type { Schemas } from "@postern/client";
import { words } from "../words/words.ts";

export const Messages = (_: { readonly alias: Schemas["Alias"] }) => <h2>{words.messages.title}</h2>;
