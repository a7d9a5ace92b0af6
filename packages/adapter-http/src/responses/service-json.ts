import { MAX_API_KEYS, MAX_WEBHOOKS, type ServiceOffer } from "@postern/core";
import type { RateLimit } from "../limits/rate-limit.ts";
import { count, type NamedSchema, nullable, object, type Schema } from "../openapi/schema.ts";

const LIMITS = {
  requests_per_minute: nullable(count("Requests of the account; `rate_limited` beyond", 1_200)),
  creations_per_minute: nullable(
    count(
      "Aliases, recipients, contacts, blocked senders, webhooks, keys and test events together; `too_many_creations` beyond",
      60,
    ),
  ),
  aliases: nullable(count("Deleted ones included; `too_many_aliases` beyond", 10_000)),
  recipients: nullable(count("`too_many_recipients` beyond", 200)),
  unverified_recipients: nullable(
    count("Recipients that are not verified yet; `too_many_unverified_recipients` beyond", 20),
  ),
  verification_messages_per_day: nullable(count("In any 24 hours; `rate_limited` beyond", 100)),
  blocked_senders: nullable(count("`too_many_blocked_senders` beyond", 1_000)),
  keys: nullable(count("`too_many_api_keys` beyond", 20)),
  webhooks: nullable(count("`too_many_webhooks` beyond", 5)),
  contacts_per_alias: nullable(
    count(
      "At the limit, some are evicted; `too_many_contacts` if none can be, for one that is added",
      10_000,
    ),
  ),
  logged_messages: nullable(count("In the logs of all aliases together. The oldest ones go", 100_000)),
  logged_messages_per_alias: nullable(count("The oldest ones go", 10_000)),
} satisfies Record<string, Schema>;

const PROPERTIES = {
  alias_domains: {
    type: "array",
    items: { type: "string", examples: ["alias.example"] },
    minItems: 1,
    description:
      "The domains on which aliases can be created. Generated addresses are on the first one by default",
  },
  webhooks: {
    type: "boolean",
    description: "Whether events are sent. Otherwise, creating a webhook is `webhooks_disabled`",
  },
  keys_url: nullable({
    type: "string",
    format: "uri",
    description:
      "The base address at which programs use keys; null if they cannot: then creating one is `api_keys_disabled`",
    examples: ["https://keys.example.com"],
  }),
  limits: {
    ...object(LIMITS),
    description: "How much an account can have and do; null where there is no limit",
  },
} satisfies Record<string, Schema>;

/** What the service offers, as clients see it. */
export const SERVICE: NamedSchema = {
  name: "Service",
  schema: { ...object(PROPERTIES), description: "What the service offers, and its limits" },
};

/** In the core and in the options of the API, 0 means no limit. */
const limitJson = (limit: number): number | null => (limit === 0 ? null : limit);

const limitsJson = (
  { limits }: ServiceOffer,
  { perMinute, creationsPerMinute = 0 }: RateLimit,
): Record<keyof typeof LIMITS, unknown> => ({
  requests_per_minute: limitJson(perMinute),
  creations_per_minute: limitJson(creationsPerMinute),
  aliases: limitJson(limits.aliases),
  recipients: limitJson(limits.recipients),
  unverified_recipients: limitJson(limits.unverifiedRecipients),
  verification_messages_per_day: limitJson(limits.verificationMessages),
  blocked_senders: limitJson(limits.blockedSenders),
  keys: MAX_API_KEYS,
  webhooks: MAX_WEBHOOKS,
  contacts_per_alias: limitJson(limits.contacts),
  logged_messages: limitJson(limits.loggedMessages),
  logged_messages_per_alias: limitJson(limits.loggedMessagesOfAlias),
});

export const serviceJson = (
  offer: ServiceOffer,
  rateLimit: RateLimit,
): Record<keyof typeof PROPERTIES, unknown> => ({
  alias_domains: offer.aliasDomains,
  webhooks: offer.sendsEvents,
  keys_url: offer.keysUrl ?? null,
  limits: limitsJson(offer, rateLimit),
});
