import type { Schemas } from "@postern/client";
import { date } from "../format.ts";
import type { Recipient } from "../recipients/all-recipients.ts";
import { IconButton } from "../ui/button.tsx";
import { Row } from "../ui/row.tsx";
import { OnDay } from "../ui/time.tsx";
import { wordFor, words } from "../words/words.ts";

/** When it was used last, and by what: both as far as is known. */
const LastUse = ({ apiKey: { datetime_last_used, last_used_by } }: { readonly apiKey: Schemas["ApiKey"] }) =>
  datetime_last_used === null ? (
    words.keys.unused
  ) : (
    <>
      {words.keys.lastUsed} <OnDay time={datetime_last_used} />
      {last_used_by !== null && `, ${wordFor(words.keys.clients, last_used_by)}`}
    </>
  );

export const KeyRow = ({
  apiKey,
  recipients,
  onDelete,
}: {
  readonly apiKey: Schemas["ApiKey"];
  /** Undefined until they are known. */
  readonly recipients: readonly Recipient[] | undefined;
  readonly onDelete: () => void;
}) => {
  const { name, scopes, expires, alias_domain, recipient_ids } = apiKey;
  const isExpired = expires !== null && expires <= Date.now();
  const nameOf = (id: string) =>
    recipients?.find(({ recipient_id }) => recipient_id === id)?.recipient_email ?? words.keys.goneRecipient;
  return (
    <Row isOff={isExpired}>
      <div class="grow">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>
        </p>
        <p>{words.keys.can(scopes.map((scope) => wordFor(words.keys.scopes, scope)))}</p>
        <p class="quiet">
          <LastUse apiKey={apiKey} />
        </p>
        {expires !== null && (
          <p class={isExpired ? "bad-text" : "quiet"}>
            {(isExpired ? words.keys.expired : words.keys.worksUntil)(date(expires))}
          </p>
        )}
        {alias_domain !== null && <p class="quiet">{words.keys.onDomain(alias_domain)}</p>}
        {recipient_ids !== null && recipients !== undefined && (
          <p class="quiet">{words.keys.forwardsTo([...new Set(recipient_ids.map(nameOf))])}</p>
        )}
      </div>
      <IconButton icon="trash" label={words.keys.deleteOf(name)} onClick={onDelete} />
    </Row>
  );
};
