import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { api } from "../api/api.ts";
import { draft } from "../drafts.ts";
import { relative } from "../format.ts";
import { Picker } from "../picker/picker.tsx";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";
import { etagOf, forgetLists, reloadAlias, showAlias, useAliasRecipients } from "./stored-alias.ts";

/** A deleted alias, and how it comes back: with its former recipients, or with others if these cannot be used any more. */
export const Restore = ({
  alias: { alias_id: id, datetime_deleted },
}: {
  readonly alias: Schemas["Alias"];
}) => {
  const others = draft<readonly string[]>(`restore ${id}`);
  const former = (useAliasRecipients(id).data?.data.recipients ?? []).map((each) => each.recipient_id);
  const restoring = useMutation({
    mutationFn: ([first, ...rest]: readonly string[]) =>
      api.restoreAlias(id, first === undefined ? {} : { recipient_ids: [first, ...rest] }, {
        ifMatch: etagOf(id),
      }),
    onSuccess: (restored) => {
      others.value = null;
      showAlias(restored);
      forgetLists();
      announce(words.alias.restoredNow);
    },
    onError: ({ problem }) => {
      if (problem.code === "recipients_ineligible") {
        const refused = problem.recipients.map((each) => each.id);
        others.value ??= former.filter((each) => !refused.includes(each));
      } else if (problem.code !== "precondition_failed") return;
      // Also why recipients are refused.
      return reloadAlias(id);
    },
  });
  const problem = restoring.error?.problem;
  return (
    <Notice look="info">
      <p>{words.alias.wasDeleted(relative(datetime_deleted ?? Date.now()))}</p>
      <Form label={words.alias.restore} onSubmit={() => restoring.mutate(others.value ?? [])}>
        {others.value !== null && (
          <>
            <p>{words.alias.restoreWith}</p>
            <Picker
              chosen={others.value}
              refused={problem?.code === "recipients_ineligible" ? problem.recipients : []}
              onChange={(ids) => {
                others.value = ids;
              }}
            />
          </>
        )}
        <ProblemNotice error={restoring.error} />
        <Button look="main" busy={restoring.isPending}>
          {words.alias.restore}
        </Button>
      </Form>
    </Notice>
  );
};
