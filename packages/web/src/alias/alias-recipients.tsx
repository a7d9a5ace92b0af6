import type { Schemas } from "@postern/client";
import { api } from "../api/api.ts";
import { Picker } from "../picker/picker.tsx";
import { ineligibility } from "../recipients/all-recipients.ts";
import { Address } from "../ui/address.tsx";
import { Button } from "../ui/button.tsx";
import { useKeptFocus } from "../ui/kept-focus.ts";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { words } from "../words/words.ts";
import { EditForm } from "./edit-form.tsx";
import { reloadAlias, showAlias, useAliasRecipients } from "./stored-alias.ts";

/** Recipients in their order, and why mail cannot be forwarded to some of them. */
const List = ({ recipients }: { readonly recipients: readonly Schemas["Recipient"][] }) => (
  <ol class="plain">
    {recipients.map((recipient) => {
      const why = ineligibility(recipient);
      return (
        <li key={recipient.recipient_id}>
          <Address of={recipient.recipient_email} />
          {why !== null && <small class="bad-text"> {words.picker.reasons[why]}</small>}
        </li>
      );
    })}
  </ol>
);

/** Whom an alias forwards to: a list that is edited as a whole and saved as a whole. */
export const AliasRecipients = ({ alias }: { readonly alias: Schemas["Alias"] }) => {
  const { alias_id: id, datetime_deleted } = alias;
  const { data, error, refetch } = useAliasRecipients(id);
  const recipients = data?.data.recipients ?? [];
  const stored = recipients.map(({ recipient_id }) => recipient_id);
  const edit = useEdit<readonly string[]>({
    name: `recipients ${id}`,
    stored,
    save: async ([first, ...others]) => {
      // The list that is edited is never empty.
      if (first === undefined) return;
      showAlias(await api.replaceRecipients(id, [first, ...others], { ifMatch: data?.etag }));
    },
    reload: () => reloadAlias(id),
  });
  const around = useKeptFocus<HTMLElement>(edit.isOpen);
  const problem = edit.error?.problem;
  return (
    <section ref={around} class="card" aria-labelledby="recipients">
      <header class="title">
        <h2 id="recipients">{datetime_deleted === null ? words.alias.forwardsTo : words.alias.formerly}</h2>
        {!edit.isOpen && data !== undefined && datetime_deleted === null && (
          <Button onClick={() => edit.change(stored)}>{words.alias.changeRecipients}</Button>
        )}
      </header>
      {data === undefined && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {edit.isSaved && <Notice look="good">{words.common.saved}</Notice>}
      {edit.isOpen ? (
        <EditForm label={words.alias.changeRecipients} edit={edit} stored={<List recipients={recipients} />}>
          <Picker
            chosen={edit.value}
            emails={new Map(recipients.map((each) => [each.recipient_id, each.recipient_email]))}
            refused={problem?.code === "recipients_ineligible" ? problem.recipients : []}
            onChange={edit.change}
          />
        </EditForm>
      ) : (
        <List recipients={recipients} />
      )}
    </section>
  );
};
