import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AccountLimits } from "@postern/core";
import type { Language, Service } from "@postern/core/words";
import { nodePorts } from "@postern/node";
import { compiled } from "@postern/test-support/built-server";
import { accept, refuse, startFakeSes } from "@postern/test-support/fake-ses";
import { newDirectory } from "@postern/test-support/new-directory";
import { sharedClock } from "@postern/test-support/shared-clock";
import PostalMime from "postal-mime";
import { onTestFinished } from "vitest";
import { environment } from "./environment.ts";
import { answerOf, functionEnvironment, openTable, startFunction } from "./lambda.ts";

const CLOCK = fileURLToPath(import.meta.resolve("@postern/test-support/use-shared-clock"));

type Settings = {
  readonly issuer: string;
  readonly audience: string;
  readonly aliasDomains: readonly string[];
  readonly limits: AccountLimits;
  readonly keysUrl: string | undefined;
  readonly corsOrigins?: readonly string[];
  readonly service?: Service;
  readonly logo?: Uint8Array;
  readonly language?: Language;
  /** Where its clock starts, in epoch milliseconds. */
  readonly start: number;
};

/** The token in the link of a message. */
const tokenIn = async (message: string): Promise<string> => {
  const { text = "" } = await PostalMime.parse(message);
  const [, token = ""] = /\/recipients\/verify\?token=(\S+)/.exec(text) ?? [];
  return token;
};

/** The variables for what a world has. */
const variablesFor = ({ issuer, audience, aliasDomains, limits, ...others }: Settings, directory: string) => {
  const { keysUrl, corsOrigins, service, logo, language } = others;
  if (limits.loggedMessages > 0 || limits.loggedMessagesOfAlias > 0)
    throw new Error("No variable limits the logs of messages");
  const serviceLogo = join(directory, "logo");
  if (logo !== undefined) writeFileSync(serviceLogo, logo);
  return {
    POSTERN_ISSUER: issuer,
    POSTERN_AUDIENCE: audience,
    POSTERN_ALIAS_DOMAINS: aliasDomains.join(","),
    POSTERN_WEBHOOKS: "false",
    POSTERN_MAX_ALIASES: String(limits.aliases),
    POSTERN_MAX_RECIPIENTS: String(limits.recipients),
    POSTERN_MAX_UNVERIFIED_RECIPIENTS: String(limits.unverifiedRecipients),
    POSTERN_MAX_CONTACTS: String(limits.contacts),
    POSTERN_MAX_BLOCKED_SENDERS: String(limits.blockedSenders),
    POSTERN_MAX_VERIFICATION_MESSAGES: String(limits.verificationMessages),
    ...(keysUrl !== undefined && { POSTERN_KEYS_PORT: "1", POSTERN_KEYS_URL: keysUrl }),
    ...(corsOrigins !== undefined && { POSTERN_CORS_ORIGINS: corsOrigins.join(",") }),
    ...(service !== undefined && { POSTERN_SERVICE_NAME: service.name }),
    ...(service?.url !== undefined && { POSTERN_SERVICE_URL: service.url }),
    ...(logo !== undefined && { POSTERN_SERVICE_LOGO: serviceLogo }),
    ...(language !== undefined && { POSTERN_LANGUAGE: language }),
  };
};

/**
 * The built function in a process of its own, and what the test's process shares with it: its store, its clock, and its secrets. All ends
 * with the test.
 */
export const openFunctionWorld = async (settings: Settings) => {
  const directory = newDirectory();
  const ses = await startFakeSes();
  onTestFinished(ses.close);
  const path = join(directory, "clock");
  const clock = sharedClock(path, settings.start);
  onTestFinished(clock.close);
  const variables = {
    ...(await functionEnvironment()),
    ...compiled,
    ...variablesFor(settings, directory),
    AWS_ENDPOINT_URL_SESV2: ses.endpoint,
    SHARED_CLOCK: path,
  };
  const store = await openTable(variables);
  const api = await startFunction("api", variables, { node: [process.execPath, "--import", CLOCK] });
  const { clock: system, secrets } = nodePorts({ linkSecrets: [environment.POSTERN_LINK_SECRET] });
  const links: string[] = [];
  let read = 0;
  return {
    store,
    ports: { clock: { ...system, now: clock.now, advance: clock.advance }, secrets },
    invoke: async (event: unknown) => {
      const response = await answerOf(api, event);
      const sent = ses.messages.slice(read);
      read = ses.messages.length;
      for (const { raw } of sent) links.push(await tokenIn(raw));
      return response;
    },
    /** The tokens of all links made, oldest first, whether or not SES has accepted their message. */
    links,
    /** A refusal that SES does not explain only means that the message is not sent. */
    mailWorks: (now: boolean) => ses.answerWith(now ? accept : refuse(400, "UnknownException")),
    /** The times of a token that is new by the clock of the world. */
    tokenTimes: () => {
      const iat = Math.floor(clock.now() / 1000);
      return { iat, exp: iat + 3600 };
    },
  };
};
