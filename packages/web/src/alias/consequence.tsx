import { ClientError, type Schemas } from "@postern/client";
import { useQuery } from "@tanstack/preact-query";
import { api } from "../api/api.ts";
import { Notice } from "../ui/notice.tsx";
import { words } from "../words/words.ts";
import { isListed } from "./senders.ts";

/** So many of those who wrote last are looked at. */
const LAST = 10;

type Author = NonNullable<Schemas["Message"]["contact"]>;

const isWrittenTo = async (
  aliasId: string,
  { contact_id }: Author,
  signal: AbortSignal,
): Promise<boolean> => {
  // Contacts that were written to are kept for good.
  if (contact_id === null) return false;
  try {
    const { data } = await api.getContact(aliasId, contact_id, { signal });
    return data.datetime_added !== null || data.datetime_last_sent !== null;
  } catch (error) {
    if (error instanceof ClientError && error.code === "contact_not_found") return false;
    throw error;
  }
};

/** Those whose mail the alias forwarded last, and whether they were written to, so that no rule refuses their mail. */
const readAuthors = async (aliasId: string, signal: AbortSignal) => {
  const { data } = await api.listMessages(aliasId, { limit: 100 }, { signal });
  const authors = new Map<string, Author>();
  for (const { contact, blocked } of data.messages)
    if (contact !== null && blocked === null) authors.set(contact.email.toLowerCase(), contact);
  return Promise.all(
    [...authors.values()].slice(0, LAST).map(async (author) => ({
      email: author.email,
      isKnown: await isWrittenTo(aliasId, author, signal),
    })),
  );
};

/** Says whose mail is going to be refused, as far as they wrote lately. */
export const Consequence = ({
  aliasId,
  senders,
}: {
  readonly aliasId: string;
  /** Whose mail is accepted besides that of people who were written to. */
  readonly senders: readonly string[];
}) => {
  const { data } = useQuery({
    queryKey: ["authors", aliasId],
    queryFn: ({ signal }) => readAuthors(aliasId, signal),
  });
  const refused = data?.filter(({ email, isKnown }) => !isKnown && !isListed(email, senders));
  return (
    <Notice look="info">
      <p>{words.rules.refuses}</p>
      {refused !== undefined && refused.length > 0 && (
        <p>{words.rules.refusesThese(refused.map(({ email }) => email))}</p>
      )}
      {refused?.length === 0 && data?.length !== 0 && <p>{words.rules.refusesNone}</p>}
    </Notice>
  );
};
