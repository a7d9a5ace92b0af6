import { EmailAddress } from "@postern/core";
import type * as z from "zod";
import { Variables } from "./variables.ts";

const MailPlaneVariables = Variables.pick({
  POSTERN_MX_PORT: true,
  POSTERN_MX_HOST: true,
  POSTERN_MX_NAME: true,
  POSTERN_MX_TLS_KEY: true,
  POSTERN_MX_TLS_CERT: true,
  POSTERN_SPOOL_PATH: true,
  POSTERN_SPOOL_LIMIT: true,
  POSTERN_RELAY_URL: true,
  POSTERN_POSTMASTER: true,
  POSTERN_DKIM_KEY: true,
  POSTERN_DKIM_SELECTOR: true,
  POSTERN_MAIL_SIZE: true,
  POSTERN_MAIL_INACTIVE: true,
  POSTERN_MAIL_DMARC: true,
  POSTERN_MAIL_DSN: true,
  POSTERN_MAIL_ARC: true,
  POSTERN_MAIL_SUBJECTS: true,
  POSTERN_DELIVERY_NOTICES: true,
  POSTERN_ALIAS_DOMAINS: true,
  POSTERN_SMTP_URL: true,
});

type Values = z.output<typeof MailPlaneVariables>;
type Name = keyof Values;

/** What makes the variable `of` wrong if those in `given` are valid. The problem continues a sentence that starts with its name. */
type Rule = {
  readonly of: Name;
  readonly given: readonly Name[];
  readonly problem: string;
  breaks(variables: Values): boolean;
};

const requiredWith = (of: Name, other: Name): Rule => ({
  of,
  given: [],
  problem: `is required with ${other}`,
  breaks: (variables) => variables[other] !== undefined && variables[of] === undefined,
});

const RULES: readonly Rule[] = [
  requiredWith("POSTERN_MX_NAME", "POSTERN_MX_PORT"),
  requiredWith("POSTERN_POSTMASTER", "POSTERN_MX_PORT"),
  requiredWith("POSTERN_DKIM_KEY", "POSTERN_MX_PORT"),
  requiredWith("POSTERN_DKIM_SELECTOR", "POSTERN_MX_PORT"),
  requiredWith("POSTERN_MX_TLS_KEY", "POSTERN_MX_TLS_CERT"),
  requiredWith("POSTERN_MX_TLS_CERT", "POSTERN_MX_TLS_KEY"),
  {
    of: "POSTERN_POSTMASTER",
    given: ["POSTERN_ALIAS_DOMAINS"],
    problem: "must not be on an alias domain: its mail would loop",
    breaks: ({ POSTERN_POSTMASTER: postmaster, POSTERN_ALIAS_DOMAINS: domains }) =>
      postmaster !== undefined && domains.includes(EmailAddress.domain(postmaster)),
  },
  {
    of: "POSTERN_SPOOL_LIMIT",
    given: ["POSTERN_MAIL_SIZE"],
    problem: "must be at least POSTERN_MAIL_SIZE",
    breaks: ({ POSTERN_SPOOL_LIMIT: limit, POSTERN_MAIL_SIZE: size }) => limit < size,
  },
];

/** Rules between variables of the mail plane. They are checked even if other variables are invalid, so that all problems are reported. */
export const withMailPlaneRules = <S extends z.ZodType<Values>>(schema: S): S =>
  RULES.reduce(
    (checked, { of, given, problem, breaks }) =>
      checked.refine((variables) => !breaks(variables), {
        path: [of],
        message: problem,
        when: ({ issues }) => !issues.some(({ path }) => [of, ...given].some((name) => name === path?.[0])),
      }),
    schema,
  );

/** How mail is received, kept and forwarded; undefined if it is not. */
export const mailPlaneNamed = (variables: Values) => {
  const {
    POSTERN_MX_PORT: port,
    POSTERN_MX_NAME: name,
    POSTERN_MX_TLS_KEY: key,
    POSTERN_MX_TLS_CERT: cert,
    POSTERN_POSTMASTER: postmaster,
    POSTERN_DKIM_KEY: dkimKey,
    POSTERN_DKIM_SELECTOR: dkimSelector,
  } = variables;
  if (port === undefined) return undefined;
  // The rules above have refused a port without these.
  if (name === undefined || postmaster === undefined || dkimKey === undefined || dkimSelector === undefined) {
    return undefined;
  }
  return {
    port,
    host: variables.POSTERN_MX_HOST,
    name,
    tls: key === undefined || cert === undefined ? undefined : { key, cert },
    spoolPath: variables.POSTERN_SPOOL_PATH,
    spoolLimit: variables.POSTERN_SPOOL_LIMIT,
    relayUrl: variables.POSTERN_RELAY_URL ?? variables.POSTERN_SMTP_URL,
    postmaster,
    dkimKey,
    dkimSelector,
    maxSize: variables.POSTERN_MAIL_SIZE,
    inactive: variables.POSTERN_MAIL_INACTIVE,
    dmarc: variables.POSTERN_MAIL_DMARC,
    dsn: variables.POSTERN_MAIL_DSN,
    arc: variables.POSTERN_MAIL_ARC,
    subjects: variables.POSTERN_MAIL_SUBJECTS,
    deliveryNotices: variables.POSTERN_DELIVERY_NOTICES,
  };
};

export type MailPlaneConfiguration = NonNullable<ReturnType<typeof mailPlaneNamed>>;
