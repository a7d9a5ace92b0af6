import { Resolver } from "node:dns";
import { isAbsolute } from "node:path";
import { domainToASCII } from "node:url";
import {
  areClientIds,
  isGatewaySecret,
  isJwksUri,
  isOrigin,
  isSecureUrl,
  logoProblem,
} from "@postern/adapter-http/settings";
import { parsePostgresUrl } from "@postern/adapter-postgres/postgres-url";
import { type InvalidRequest, parseDomain, type Result } from "@postern/core";
import { parseLinkSecrets } from "@postern/node";
import * as z from "zod";
import { parseSesUrl } from "./ses-url.ts";
import { readSmallFile } from "./small-file.ts";
import { isTooWide } from "./too-wide.ts";

/*
 * The formats of variables. No message repeats a value, because some of them are secret.
 */

export const text = z.string();

export const oneOf = <const T extends readonly string[]>(...values: T) =>
  z.enum(values, `must be one of: ${values.join(", ")}`);

export const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a number from 0 to 65535")
  .transform(Number)
  .refine((number) => number <= 65535, "must be a number from 0 to 65535");

export const count = z
  .string()
  .regex(/^\d{1,9}$/, "must be a whole number, 0 or more")
  .transform(Number);

/** Unlike `count`, allows more than a GB. */
export const bytes = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, "must be a number of bytes, 1 or more")
  .transform(Number);

export const redisUrl = z.string().refine((value) => {
  const url = URL.parse(value);
  return url !== null && ["redis:", "rediss:"].includes(url.protocol) && url.hostname !== "";
}, "must be a URL that begins with redis:// or rediss:// and names a host");

/** Not kept as text, so that it cannot be logged by mistake, with its password. */
export const postgresUrl = z.string().transform((value, context) =>
  parsePostgresUrl(value).match(
    (parsed) => parsed,
    ({ message }) => {
      context.addIssue(message);
      return z.NEVER;
    },
  ),
);

export const connections = count.refine((number) => number >= 1 && number <= 1000, "must be from 1 to 1000");

export const milliseconds = count.refine(
  (number) => number >= 100 && number <= 60_000,
  "must be from 100 to 60000",
);

/** The name of a DynamoDB table, or its ARN. */
export const tableName = z
  .string()
  .regex(
    /^(?:[\w.-]{3,255}|arn:.+)$/,
    "must be the name of a table: 3 to 255 characters from A-Z a-z 0-9 . _ -",
  );

export const absolutePath = z.string().refine(isAbsolute, "must be an absolute path");

/** An IP address, or a network in CIDR notation that is not so wide that it contains clients. */
export const network = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], "must be IP addresses or networks such as 10.0.0.0/8")
  .refine(
    (value) => !isTooWide(value),
    "must not contain a network wider than 10.0.0.0/8 or fc00::/7: clients in it could claim any address",
  );

export const flag = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");

export const commaList = z.string().transform((list): readonly string[] =>
  list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);

/** Unlike other lists, this one has no empty items: what should be there would be missing. */
export const clientIds = z
  .string()
  .transform((list): readonly string[] => list.split(",").map((id) => id.trim()))
  .refine(areClientIds, "must be 1 to 10 client ids, separated by commas, none of them empty or repeated");

/** Tokens, keys and data travel to and from these URLs, so plain http is allowed on loopback only. */
export const secureUrl = z
  .string()
  .refine(isSecureUrl, "must be an https URL (http on loopback only) without credentials, query or fragment");

/** The URL of a queue of SQS: it ends in the account and the name of the queue. */
export const queueUrl = secureUrl.refine(
  (value) => /^\/\d{12}\/[\w-]{1,80}$/.test(URL.parse(value)?.pathname ?? ""),
  "must end in the number of an account of AWS and the name of a queue",
);

export const jwksUri = z
  .string()
  .refine(isJwksUri, "must be an https URL (http on loopback only) without credentials or fragment");

/** Unlike that of an https URL, the host of an smtp URL can be any text, such as `127.0.0.1.10025`. */
const namesHost = ({ hostname }: URL): boolean => hostname.startsWith("[") || domainToASCII(hostname) !== "";

export const smtpUrl = z
  .string()
  .refine((value) => {
    const url = URL.parse(value);
    return url !== null && ["smtp:", "smtps:"].includes(url.protocol) && namesHost(url);
  }, "must be a URL that begins with smtp:// or smtps:// and names a host")
  .refine((value) => {
    const { username = "", password = "" } = URL.parse(value) ?? {};
    return (username === "") === (password === "");
  }, "must have a user and a password, or neither")
  .refine(
    (value) => /^[1-9]\d{0,8}$/.test(URL.parse(value)?.searchParams.get("maxConnections") ?? "1"),
    "must have a positive maxConnections, if any",
  );

const sesUrl = z
  .string()
  .refine(
    (value) => parseSesUrl(value) !== null,
    "must name a region of AWS, and after that at most a configuration set, if it begins with ses:",
  );

/** What sends verification mail: an SMTP server, or SES. */
export const mailUrl = z.string().superRefine((value, context) => {
  const { error } = (value.startsWith("ses:") ? sesUrl : smtpUrl).safeParse(value);
  for (const { message } of error?.issues ?? []) context.addIssue({ code: "custom", message });
});

export const origin = z
  .string()
  .refine(isOrigin, "must be origins such as https://app.example.com, without a path or a trailing slash");

/** Of pages and endpoints that get passwords or tokens. */
export const secureOrigin = z
  .string()
  .refine(
    (value) => isOrigin(value) && isSecureUrl(value),
    "must be an https origin (http on loopback only) such as https://mail.example.com, without a path or a trailing slash",
  );

const SIGN_INS = "must be srp, oidc, or both, separated by a comma";

/** How people sign in: with their password in a form of the app (srp), or at the provider's page (oidc). */
export const signIns = commaList
  .pipe(z.array(z.enum(["srp", "oidc"], SIGN_INS)).min(1, SIGN_INS))
  .refine((list) => new Set(list).size === list.length, SIGN_INS);

/**
 * Split at the first `=`: the names of claims have none, even those that are URLs, but values can be distinguished names of
 * LDAP. A space at either end would be compared too, and so refuse everybody.
 */
export const claim = z.string().transform((value, context) => {
  const [, name, required] = /^([^=]*[^=\s])=(\S(?:.*\S)?)$/.exec(value) ?? [];
  if (name !== undefined && required !== undefined && name === name.trim()) return { name, value: required };
  context.addIssue("must be NAME=VALUE, such as groups=mail, without spaces around either");
  return z.NEVER;
});

export const gatewaySecret = z
  .string()
  .refine(isGatewaySecret, "must be at least 32 printable ASCII characters, without spaces at either end");

/** Checks the format, and then parses the value with a function of the core. */
export const parsedBy = <Input, T>(
  format: z.ZodType<Input>,
  parse: (input: Input) => Result<T, InvalidRequest>,
) =>
  format.transform(
    (input, context): T =>
      parse(input).match(
        (parsed) => parsed,
        ({ issues }) => {
          for (const { reason } of issues) context.addIssue(reason);
          return z.NEVER;
        },
      ),
  );

const parseSecrets = (secrets: readonly string[]) =>
  parseLinkSecrets(secrets).mapErr(
    ({ message }): InvalidRequest => ({ code: "invalid_request", issues: [{ path: [], reason: message }] }),
  );

/** One secret, or two while the old one (the second) is being phased out. */
export const linkSecrets = parsedBy(
  commaList.refine((secrets) => secrets.length <= 2, "must be one secret, or two separated by a comma"),
  parseSecrets,
);

export const mailboxSecret = parsedBy(text, (secret) => parseSecrets([secret]).map(([parsed]) => parsed));

export const domainName = parsedBy(text, parseDomain);

/** One or more DNS labels in lower case (RFC 6376, section 3.1). */
export const dkimSelector = z
  .string()
  .regex(
    /^(?=.{1,63}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/,
    "must be one or more DNS labels of a-z, 0-9 and -, separated by dots and at most 63 characters in all, such as postern1",
  );

const isResolver = (value: string): boolean => {
  try {
    new Resolver().setServers([value]);
    return true;
  } catch {
    return false;
  }
};

export const dnsServer = z
  .string()
  .refine(isResolver, "must be an IP address, with or without a port, such as 127.0.0.1:53 or [::1]:53");

/** The path of an image, which is read at once: it is small, and a server without it would only find out at its first page. */
export const logoFile = z.string().transform((path, context): Uint8Array => {
  const refuse = (problem: string) => {
    context.addIssue(problem);
    return z.NEVER;
  };
  return readSmallFile(path).match(
    ({ bytes }) => {
      const problem = logoProblem(bytes);
      return problem === null ? bytes : refuse(`names a file that ${problem}`);
    },
    ({ problem }) => refuse(problem),
  );
});
