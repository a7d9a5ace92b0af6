/** The path of a URL, without its query, which may contain a verification token. */
export const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? "";
