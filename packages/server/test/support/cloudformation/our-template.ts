import { readFileSync } from "node:fs";
import { TEMPLATE_FILE } from "../../../../../scripts/serverless/template.ts";
import { isObject, type Json, type JsonObject, templateSchema } from "./template.ts";

export const json = readFileSync(TEMPLATE_FILE, "utf8");
export const template = templateSchema.parse(JSON.parse(json));

/** The properties of all resources of a type, by their logical ids. */
export const ofType = (type: string): ReadonlyMap<string, JsonObject> =>
  new Map(
    Object.entries(template.Resources)
      .filter(([, { Type }]) => Type === type)
      .map(([name, { Properties }]) => [name, Properties]),
  );

/** Every object in a value, itself included. */
export const objectsIn = (value: Json): readonly JsonObject[] => {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return isObject(value) ? [value, ...inside] : inside;
};
