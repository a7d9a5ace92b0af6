import { AliasDomains, EmailAddress } from "@postern/core";
import { z } from "zod";
import { commaList, linkSecrets, origin, port, secureUrl, smtpUrl, text } from "./formats.ts";

type About = { readonly meaning: string; readonly example: string };
const abouts = z.registry<About>();

/** A copy of the format, so that two variables of one format are described apart. */
const variable = <S extends z.ZodType>(format: S, about: About): S => {
  const copy = format.clone();
  abouts.add(copy, about);
  return copy;
};

/** Every variable the server reads: what it must be, and what it means to an operator. */
export const Variables = z.object({
  HOST: variable(text.default("127.0.0.1"), {
    meaning: "address to listen on; 0.0.0.0 for all of this machine's",
    example: "0.0.0.0",
  }),
  PORT: variable(port.default(8080), {
    meaning: "port to listen on; 0 picks a free one",
    example: "8080",
  }),
  POSTERN_STORE: variable(z.enum(["memory"], "must be one of: memory"), {
    meaning: "where data is kept; memory: in this process, lost when it ends",
    example: "memory",
  }),
  POSTERN_ISSUER: variable(secureUrl, {
    meaning: "issuer of identity tokens: the user pool's URL, exactly as in the tokens' iss claim",
    example: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI",
  }),
  POSTERN_AUDIENCE: variable(text, {
    meaning: "audience of identity tokens: the app client's id, as in the tokens' aud claim",
    example: "1example23456789",
  }),
  POSTERN_JWKS_URI: variable(secureUrl.optional(), {
    meaning: "where the issuer publishes its signing keys, if not at /.well-known/jwks.json below it",
    example: "https://id.example.com/keys.json",
  }),
  POSTERN_ALIAS_DOMAINS: variable(commaList.pipe(AliasDomains), {
    meaning: "domains whose addresses are aliases, separated by commas",
    example: "alias.example.com,alias.example.net",
  }),
  POSTERN_PUBLIC_URL: variable(secureUrl, {
    meaning: "where people reach this service; links in mails begin with it",
    example: "https://postern.example.com",
  }),
  POSTERN_LINK_SECRET: variable(linkSecrets, {
    meaning: "secret that signs the links in mails; to change it, set NEW,OLD for a day, then NEW",
    example: "the output of: openssl rand -base64 48",
  }),
  POSTERN_SMTP_URL: variable(smtpUrl, {
    meaning: "mail server to send with",
    example: "smtps://user:password@mail.example.com",
  }),
  POSTERN_MAIL_FROM: variable(EmailAddress, {
    meaning: "sender of the mails",
    example: "postern@example.com",
  }),
  POSTERN_CORS_ORIGINS: variable(commaList.pipe(z.array(origin)).default([]), {
    meaning: "origins of browser apps that may call the API, separated by commas",
    example: "https://app.example.com",
  }),
  POSTERN_LOG_LEVEL: variable(
    z
      .enum(
        ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
        "must be one of: trace, debug, info, warn, error, fatal, silent",
      )
      .default("info"),
    { meaning: "least severe log lines to write", example: "warn" },
  ),
});

/** What happens when a variable is not set. */
const whenUnset = (format: z.ZodType): string => {
  const unset = format.safeParse(undefined);
  if (!unset.success) return "required";
  return typeof unset.data === "string" || typeof unset.data === "number"
    ? `default: ${unset.data}`
    : "optional";
};

/** The same table for people. */
export const descriptions = Variables.keyof().options.map((name) => {
  const format = Variables.shape[name];
  const { meaning = "", example = "" } = abouts.get(format) ?? {};
  return { name, meaning, example, unset: whenUnset(format) };
});
