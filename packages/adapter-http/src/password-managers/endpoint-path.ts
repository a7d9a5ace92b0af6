/**
 * The URL to look for instead of the one that a program requested. Base addresses are typed by people: with a slash at the end, which gives
 * `//api/…`, with the whole endpoint, which is then repeated behind itself, or with a path that a proxy leaves in place. What the program
 * means begins at the last `/api/`.
 */
export const endpointPath = (url: string): string => {
  const [, path = "", query = ""] = /^([^?]*)(.*)$/s.exec(url) ?? [];
  const begin = path.lastIndexOf("/api/");
  if (begin === -1) return url;
  const endpoint = path
    .slice(begin)
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/$/, "");
  return endpoint + query;
};
