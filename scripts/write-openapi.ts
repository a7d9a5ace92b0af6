import { writeFileSync } from "node:fs";
import { openApiDocument } from "../packages/adapter-http/src/openapi/document.ts";

/** JSON in lines of up to 320 characters: with a line for each member, half of the file would be spaces. */
const inLines = (value: unknown, indent = ""): string => {
  const line = JSON.stringify(value);
  if (typeof value !== "object" || value === null || indent.length + line.length < 320) return line;
  const inner = `${indent} `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((item) => inner + inLines(item, inner))
    : Object.entries(value).map(
        ([name, member]) => `${inner}${JSON.stringify(name)}:${inLines(member, inner)}`,
      );
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
};

const file = new URL("../docs/openapi.json", import.meta.url);
writeFileSync(file, `${inLines(openApiDocument())}\n`);
