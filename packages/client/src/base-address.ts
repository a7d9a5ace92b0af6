const LOOPBACK = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/**
 * The address to which paths are appended.
 *
 * @throws TypeError if no token may be sent there, which is a mistake in the configuration of a program. The message does not contain the
 *   address, because there may be a password in it.
 */
export const baseAddress = (text: string): string => {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError("baseUrl is not an absolute URL, such as https://post.example/v1");
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.test(url.hostname)))
    throw new TypeError("baseUrl must begin with https://, because a token is sent there");
  if (url.username !== "" || url.password !== "")
    throw new TypeError("baseUrl contains a user or a password: remove them");
  if (url.search !== "" || url.hash !== "")
    throw new TypeError("baseUrl contains a query or a fragment: remove it");
  return url.origin + url.pathname.replace(/\/+$/, "");
};
