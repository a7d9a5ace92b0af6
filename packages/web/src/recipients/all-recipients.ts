import type { Schemas } from "@postern/client";
import { useQuery } from "@tanstack/preact-query";
import { api, reads } from "../api/api.ts";

export type Recipient = Schemas["Recipient"];

/** As many as an alias can have. */
export const MOST_RECIPIENTS = 40;

const KEY = ["recipients", "all"];

/** How often it is looked whether somebody has opened the link that they were sent, in milliseconds. */
const INTERVAL = 10_000;

/** All recipients of the account, newest first. An account has few, compared with aliases. */
export const useAllRecipients = () =>
  useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const found: Recipient[] = [];
      for await (const each of api.allRecipients({ limit: 100 }, { signal })) found.push(each);
      return found;
    },
    refetchInterval: ({ state }) => (state.data?.some(({ verified }) => !verified) ?? false) && INTERVAL,
  });

/** Reads everything again that shows recipients. */
export const reloadRecipients = (): void => void reads.invalidateQueries({ queryKey: ["recipients"] });

/** Shows the recipient as it is now. */
export const showRecipient = (recipient: Recipient): void => {
  reads.setQueryData<readonly Recipient[]>(KEY, (all) =>
    all?.map((each) => (each.recipient_id === recipient.recipient_id ? recipient : each)),
  );
};

/** Why mail cannot be forwarded to a recipient; null if it can. */
export const ineligibility = ({ verified, active }: Recipient): Schemas["Ineligibility"] | null =>
  verified ? (active ? null : "inactive") : "unverified";

/**
 * Whom a new alias forwards to if nobody says otherwise: the eligible recipient that was made the default one last, or else was added first.
 *
 * @param recipients all of them, newest first
 */
export const defaultRecipient = (recipients: readonly Recipient[]): Recipient | undefined => {
  const rank = ({ datetime_default }: Recipient) => datetime_default ?? 0;
  return recipients
    .filter((each) => ineligibility(each) === null)
    .toReversed()
    .toSorted((a, b) => rank(b) - rank(a))[0];
};
