import type { Schemas } from "@postern/client";
import { words } from "../words/words.ts";

export const Contacts = (_: { readonly alias: Schemas["Alias"] }) => <h2>{words.contacts.title}</h2>;
