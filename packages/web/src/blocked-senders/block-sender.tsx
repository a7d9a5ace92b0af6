import type { ClientError } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { api, reads } from "../api/api.ts";
import { draft } from "../drafts.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { ProblemNotice, problemWords } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";

/** What is wrong with the sender; null if something else is. */
const flawOf = (error: ClientError | null): string | null => {
  switch (error?.code) {
    case "invalid_request":
      return words.blockedSenders.notASender;
    case "too_many_blocked_senders":
      return problemWords(error.problem);
    default:
      return null;
  }
};

export const BlockSender = ({
  onEdit,
  onBlocked,
}: {
  readonly onEdit: () => void;
  readonly onBlocked: (sender: string) => void;
}) => {
  const typed = draft<string>("blocked sender");
  const blocking = useMutation({
    mutationFn: (sender: string) => api.blockSender(sender),
    onSuccess: ({ data }) => {
      typed.value = null;
      onBlocked(data.sender);
    },
    onError: (error) => announce(flawOf(error) ?? ""),
    // After a failure too: the answer may have been lost.
    onSettled: () => void reads.invalidateQueries({ queryKey: ["blocked-senders"] }),
  });
  const flaw = flawOf(blocking.error);
  return (
    <section class="card">
      <Form onSubmit={() => blocking.mutate((typed.value ?? "").trim())}>
        <Field
          label={words.blockedSenders.sender}
          hint={words.blockedSenders.whatIsBlocked}
          error={flaw}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={typed.value ?? ""}
          onInput={(value) => {
            typed.value = value;
            if (!blocking.isPending) blocking.reset();
            onEdit();
          }}
        />
        {flaw === null && <ProblemNotice error={blocking.error} />}
        <Button look="main" busy={blocking.isPending}>
          {words.blockedSenders.block}
        </Button>
      </Form>
    </section>
  );
};
