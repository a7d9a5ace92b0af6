import type { Alias } from "@postern/core";
import { type NamedSchema, object, type Schema } from "../openapi/schema.ts";
import { entityTag } from "./entity-tag.ts";

const PROPERTIES = {
  website: {
    type: "string",
    description: "The host of the website; empty for none",
    examples: ["shop.example"],
  },
} satisfies Record<string, Schema>;

/** For which website an alias is, as clients see it. */
export const ALIAS_WEBSITE: NamedSchema = {
  name: "AliasWebsite",
  schema: { ...object(PROPERTIES), description: "For which website an alias is" },
};

/** What a response with the website of an alias consists of. Its `ETag` is that of the alias. */
export const websiteContent = ({ website, version }: Alias) => ({
  body: { website } satisfies Record<keyof typeof PROPERTIES, unknown>,
  headers: { etag: entityTag(version) },
});
