const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The text that a browser makes of HTML without tags. */
export const decoded = (html: string): string =>
  html.replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name: string | undefined) =>
    code === undefined ? (NAMED[name ?? ""] ?? whole) : String.fromCharCode(Number(code)),
  );
