import type { Schemas } from "@postern/client";
import { api } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { Picker } from "../picker/picker.tsx";
import { Address } from "../ui/address.tsx";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { words } from "../words/words.ts";
import { reloadAlias, showAlias } from "./stored-alias.ts";

/** Whom an alias forwards to: a list that is edited as a whole and saved as a whole. */
export const AliasRecipients = ({ alias }: { readonly alias: Schemas["Alias"] }) => {
  const { alias_id: id, datetime_deleted } = alias;
  const { data, error, refetch } = useRead(["alias", id, "part", "recipients"], (signal) =>
    api.getAliasRecipients(id, { signal }),
  );
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
  const problem = edit.error?.problem;
  return (
    <section class="card" aria-labelledby="recipients">
      <header class="title">
        <h2 id="recipients">{words.alias.forwardsTo}</h2>
        {!edit.isOpen && data !== undefined && datetime_deleted === null && (
          <Button onClick={() => edit.change(stored)}>{words.alias.changeRecipients}</Button>
        )}
      </header>
      {data === undefined && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {edit.isSaved && <Notice look="good">{words.common.saved}</Notice>}
      {edit.isOpen ? (
        <Form label={words.alias.changeRecipients} onSubmit={edit.save}>
          <Picker
            chosen={edit.value}
            emails={new Map(recipients.map((each) => [each.recipient_id, each.recipient_email]))}
            refused={problem?.code === "recipients_ineligible" ? problem.recipients : []}
            onChange={edit.change}
          />
          {edit.isConflicting && (
            <Notice look="info" action={{ name: words.alias.takeTheirs, run: edit.cancel }}>
              <p>{words.alias.changedMeanwhile}</p>
              <ol>
                {recipients.map(({ recipient_id, recipient_email }) => (
                  <li key={recipient_id}>
                    <bdi>{recipient_email}</bdi>
                  </li>
                ))}
              </ol>
            </Notice>
          )}
          <ProblemNotice error={edit.error} />
          <div class="actions">
            <Button look="main" busy={edit.isBusy}>
              {edit.isConflicting ? words.alias.saveMine : words.common.save}
            </Button>
            <Button onClick={edit.cancel}>{words.common.cancel}</Button>
          </div>
        </Form>
      ) : (
        <ol class="plain">
          {recipients.map(({ recipient_id, recipient_email }) => (
            <li key={recipient_id}>
              <Address of={recipient_email} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
};
