import { readFileSync } from "node:fs";

/** A fenced block of a document. */
export type Block = {
  /** The heading above it. */
  readonly section: string;
  /** Its place among the blocks of its section, from 0. */
  readonly index: number;
  readonly language: string;
  readonly text: string;
  /** Whether `pnpm embed` writes it from a file that is tested itself. */
  readonly embedded: boolean;
  /** Whether the paragraph before it says that no test runs it: `Not tried:`, or `Tried by hand:` and where. */
  readonly isUntested: boolean;
};

const ROOT = new URL("../", import.meta.url);

const HEADING_OR_BLOCK =
  /^#+ (?<heading>[^\n]+)$|^(?<indent> *)```(?<language>\w*)\n(?<text>.*?)^\k<indent>```$/gms;

const read = (document: string): string => readFileSync(new URL(document, ROOT), "utf8");

/** The text of a document, without its fenced blocks. */
export const proseOf = (document: string): string =>
  read(document).replaceAll(HEADING_OR_BLOCK, (part) => (part.startsWith("#") ? part : ""));

/** All blocks of a document, in order. */
export const blocksOf = (document: string): readonly Block[] => {
  const markdown = read(document);
  const blocks: Block[] = [];
  let section = "";
  for (const { groups = {}, index: at } of markdown.matchAll(HEADING_OR_BLOCK)) {
    const { heading, indent = "", language = "", text = "" } = groups;
    if (heading !== undefined) {
      section = heading;
      continue;
    }
    const before = markdown.slice(0, at).trimEnd().split("\n\n").at(-1) ?? "";
    blocks.push({
      section,
      index: blocks.filter((block) => block.section === section).length,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      embedded: before.startsWith("<!-- file: "),
      isUntested: /Not tried:|Tried by hand:/.test(before),
    });
  }
  return blocks;
};

/**
 * A block of a document, so that tests run what the document says. A test finds every block that no test asks for in this
 * form, with all arguments written out.
 */
export const block = (document: string, section: string, index = 0): string => {
  const found = blocksOf(document).find((block) => block.section === section && block.index === index);
  if (found === undefined) throw new Error(`${document} has no block ${index} under "${section}"`);
  return found.text;
};
