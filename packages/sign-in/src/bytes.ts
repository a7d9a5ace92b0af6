type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

/**
 * Also of the alphabet for URLs (RFC 4648, section 5).
 *
 * @throws DOMException if it is neither
 */
export const fromBase64 = (text: string): Bytes => {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
};

export const toBase64 = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes));

export const toBase64Url = (bytes: Bytes): string =>
  toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const joined = (...parts: readonly Bytes[]): Bytes => Uint8Array.from(parts.flatMap((part) => [...part]));

export const sha256 = async (...parts: readonly Bytes[]): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));

export const hmacSha256 = async (secret: Bytes, ...parts: readonly Bytes[]): Promise<Bytes> => {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, joined(...parts)));
};
