import type { Schemas } from "@postern/client";
import { useQuery } from "@tanstack/preact-query";
import { api } from "../api/api.ts";

export type Recipient = Schemas["Recipient"];

/** All recipients of the account, newest first. An account has few, compared with aliases. */
export const useAllRecipients = () =>
  useQuery({
    queryKey: ["recipients", "all"],
    queryFn: async ({ signal }) => {
      const found: Recipient[] = [];
      for await (const each of api.allRecipients({ limit: 100 }, { signal })) found.push(each);
      return found;
    },
  });

/** Why mail cannot be forwarded to a recipient; null if it can. */
export const ineligibility = ({ verified, active }: Recipient): Schemas["Ineligibility"] | null =>
  verified ? (active ? null : "inactive") : "unverified";

/** Whom a new alias forwards to if nobody says otherwise: the newest default, else the recipient that was confirmed first. */
export const defaultRecipient = (recipients: readonly Recipient[]): Recipient | undefined => {
  const eligible = recipients.filter((each) => ineligibility(each) === null);
  const [chosen] = eligible
    .filter(({ datetime_default }) => datetime_default !== null)
    .sort((a, b) => (b.datetime_default ?? 0) - (a.datetime_default ?? 0));
  const [first] = eligible.sort((a, b) => (a.datetime_verified ?? 0) - (b.datetime_verified ?? 0));
  return chosen ?? first;
};
