const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The text of HTML without tags, as a browser reads it. */
export const decoded = (html: string): string =>
  html.replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name: string | undefined) =>
    code === undefined ? (NAMED[name ?? ""] ?? whole) : String.fromCharCode(Number(code)),
  );
