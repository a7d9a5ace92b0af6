import { isNonEmpty, type NonEmpty } from "@postern/core";
import { z } from "zod";

/*
 * The forms that variables take. No message repeats a value: some of them are secret.
 */

export const text = z.string();

export const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a number from 0 to 65535")
  .transform(Number)
  .refine((number) => number <= 65535, "must be a number from 0 to 65535");

export const count = z
  .string()
  .regex(/^\d{1,9}$/, "must be a whole number, 0 or more")
  .transform(Number);

export const redisUrl = z.string().refine((value) => {
  const url = URL.parse(value);
  return url !== null && ["redis:", "rediss:"].includes(url.protocol) && url.hostname !== "";
}, "must be a URL that begins with redis:// or rediss:// and names a host");

/** An IP address, or a network of them as an address and the length of its prefix. */
export const network = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  "must be IP addresses or networks such as 10.0.0.0/8",
);

export const flag = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");

export const commaList = z.string().transform((list): readonly string[] =>
  list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);

/** Tokens and keys travel to these URLs: in the clear they may do so inside this machine only. */
export const secureUrl = z.string().refine((value) => {
  const url = URL.parse(value);
  if (url === null || url.username !== "" || url.password !== "" || /[?#\s]/.test(value)) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}, "must be an https URL (http on loopback only) without credentials, query or fragment");

export const smtpUrl = z.string().refine((value) => {
  const url = URL.parse(value);
  return url !== null && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname !== "";
}, "must be a URL that begins with smtp:// or smtps:// and names a host");

export const origin = z
  .string()
  .refine(
    (value) => /^https?:/.test(value) && URL.parse(value)?.origin === value,
    "must be origins such as https://app.example.com, without a path or a slash at the end",
  );

/** One secret, or two while the old one (the second) is on its way out. */
export const linkSecrets = commaList
  .refine((keys) => keys.length <= 2, "must be one secret, or two separated by a comma")
  .refine(
    (keys) => keys.every((key) => Buffer.byteLength(key) >= 32),
    "must be at least 32 bytes long, each where there are two",
  )
  .transform((keys, context): NonEmpty<string> => {
    if (isNonEmpty(keys)) return keys;
    context.addIssue("must not be empty");
    return z.NEVER;
  });
