import * as fc from "fast-check";

/** A message or a part of one. Texts are latin1: each character is one octet. */
export type Tree = { readonly fields: readonly string[] } & (
  | { readonly kind: "leaf"; readonly type: string; readonly encoding: string; readonly content: string }
  | { readonly kind: "message"; readonly child: Tree }
  | {
      readonly kind: "multipart";
      readonly type: string;
      /** What is before the first part, and after the last one. */
      readonly around: readonly [string, string];
      readonly children: readonly Tree[];
    }
);

export type Written = { readonly header: string; readonly body: string };

/** The message. Each boundary begins with those around it. */
export const write = (tree: Tree, boundary = "bnd"): Written => {
  const header = (...fields: readonly string[]) =>
    [...tree.fields, ...fields].map((field) => `${field}\r\n`).join("");
  const whole = (child: Tree, n: number): string => {
    const written = write(child, `${boundary}${n}`);
    return `${written.header}\r\n${written.body}`;
  };
  switch (tree.kind) {
    case "leaf": {
      const encoding = tree.encoding === "" ? [] : [`Content-Transfer-Encoding: ${tree.encoding}`];
      return { header: header(`Content-Type: ${tree.type}`, ...encoding), body: tree.content };
    }
    case "message":
      return { header: header("Content-Type: message/rfc822"), body: whole(tree.child, 0) };
    case "multipart": {
      const [before, after] = tree.around;
      const parts = tree.children.map((child, n) => `\r\n--${boundary}\r\n${whole(child, n)}`).join("");
      return {
        header: header(`Content-Type: ${tree.type};\r\n\tboundary="${boundary}"`),
        body: `${before}${parts}\r\n--${boundary}--${after}\r\n`,
      };
    }
  }
};

/** What a reader sees of a message or a part: its content or, if nobody may change it, its raw text. */
type Leaf = { readonly fields: readonly string[]; readonly content: string };

const SEALED = /^multipart\/(signed|encrypted)|^application\/pkcs7-mime/;

/** Reads a message, in the simplest way. */
export const read = ({ header, body }: Written): readonly Leaf[] => {
  const fields = header
    .replace(/\r\n[\t ]+/g, " ")
    .split("\r\n")
    .filter((field) => field !== "");
  const value = (name: string) =>
    fields
      .find((field) => field.toLowerCase().startsWith(name))
      ?.slice(name.length)
      .trim() ?? "";
  const others = fields.filter((field) => !/^(content-transfer-encoding|mime-version):/i.test(field));
  const [type, encoding] = [value("content-type:"), value("content-transfer-encoding:").toLowerCase()];
  const readWhole = (text: string): readonly Leaf[] => {
    const end = `\r\n${text}`.indexOf("\r\n\r\n");
    return read({ header: text.slice(0, end), body: text.slice(end + 2) });
  };
  const leaf = (content: string): readonly Leaf[] => [{ fields: others, content }];
  if (SEALED.test(type)) return leaf(body);
  if (type === "message/rfc822") return [...leaf(""), ...readWhole(body)];
  const boundary = /boundary="(.*)"/.exec(type)?.[1];
  if (boundary !== undefined) {
    const [, ...parts] = `\r\n${body}`.split(new RegExp(`\r\n--${boundary}(?:--)?(?=\r\n)`));
    return [...leaf(""), ...parts.slice(0, -1).flatMap((part) => readWhole(part.slice(2)))];
  }
  if (encoding === "base64") return leaf(Buffer.from(body, "base64").toString("latin1"));
  if (encoding !== "quoted-printable") return leaf(body);
  const octet = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  return leaf(body.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/gi, octet));
};

const octet = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(..."abc =.-\t~", "=20", "--bnd", "--bnd0", "From ") },
  { weight: 1, arbitrary: fc.nat(255).map((code) => String.fromCharCode(code)) },
);
const line = fc
  .array(octet, { maxLength: 20 })
  .chain((some) => fc.constantFrom(1, 1, 1, 4, 70).map((times) => some.join("").repeat(times)))
  // No line is a delimiter.
  .map((text) => text.replace(/[\r\n]/g, "").replace(/^--bnd\d*(--)?[\t ]*$/, "-"));
const content = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\r\n"));

const quotedPrintable = (text: string): string =>
  text.replace(
    /[^\r\n\t -~\x80-\xff]|=|[\t ](?=\r|$)/g,
    (character) => `=${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );

const leaf: fc.Arbitrary<Tree> = fc
  .record({
    fields: fc.constantFrom(
      [],
      ["Content-Disposition: attachment; filename=a"],
      [`Content-Description: ${"x ".repeat(600)}x`],
    ),
    type: fc.constantFrom(
      "text/plain; charset=utf-8",
      "text/html",
      "image/png",
      "application/pdf",
      "application/pkcs7-mime",
    ),
    encoding: fc.constantFrom("", "7bit", "8bit", "BINARY", "8-bit", "base64", "quoted-printable"),
    content,
  })
  .map(({ content, ...rest }) => ({
    ...rest,
    kind: "leaf",
    content:
      rest.encoding === "base64"
        ? Buffer.from(content, "latin1").toString("base64")
        : rest.encoding === "quoted-printable"
          ? quotedPrintable(content)
          : content,
  }));

/** Messages of all kinds, with 8-bit octets and long lines everywhere. */
export const trees = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.record({ kind: fc.constant("message" as const), fields: fc.constant([]), child: tie("tree") }),
    fc.record({
      kind: fc.constant("multipart" as const),
      fields: fc.constantFrom([], ["Content-Transfer-Encoding: 8bit"]),
      type: fc.constantFrom("multipart/mixed", "multipart/alternative", "multipart/signed"),
      around: fc.tuple(
        fc.constantFrom("", "before", "before ".repeat(200)),
        fc.constantFrom("", "\r\nafter", `\r\n${"after".repeat(200)}`),
      ),
      children: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).tree;
