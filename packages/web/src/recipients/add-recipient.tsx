import type { ClientError, Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { api } from "../api/api.ts";
import { draft } from "../drafts.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { ProblemNotice, problemWords } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";
import { reloadRecipients } from "./all-recipients.ts";

/** What is wrong with the address; null if something else is. */
const flawOf = (error: ClientError | null): string | null => {
  switch (error?.code) {
    case "invalid_request":
      return words.recipients.notAnAddress;
    case "address_taken":
      return words.recipients.taken;
    case "address_not_allowed":
      return words.recipients.ofTheService;
    case "mailbox_suppressed":
    case "too_many_recipients":
    case "too_many_unverified_recipients":
      return problemWords(error.problem);
    default:
      return null;
  }
};

export const AddRecipient = ({
  onEdit,
  onAdded,
}: {
  readonly onEdit: () => void;
  readonly onAdded: (recipient: Schemas["VerifiableRecipient"]) => void;
}) => {
  const typed = draft<string>("recipient");
  const adding = useMutation({
    mutationFn: (email: string) => api.addRecipient(email),
    onSuccess: ({ data }) => {
      typed.value = null;
      onAdded(data);
    },
    onError: (error) => announce(flawOf(error) ?? ""),
    // After a failure too: the answer may have been lost.
    onSettled: reloadRecipients,
  });
  const flaw = flawOf(adding.error);
  return (
    <section class="card">
      <Form onSubmit={() => adding.mutate((typed.value ?? "").trim())}>
        <Field
          label={words.recipients.address}
          hint={words.recipients.whatHappens}
          error={flaw}
          inputMode="email"
          autocomplete="email"
          autocapitalize="off"
          spellcheck={false}
          value={typed.value ?? ""}
          onInput={(value) => {
            typed.value = value;
            if (!adding.isPending) adding.reset();
            onEdit();
          }}
        />
        {flaw === null && (
          <ProblemNotice error={adding.error} said={{ rate_limited: words.recipients.tooManyLinks }} />
        )}
        <Button look="main" busy={adding.isPending}>
          {words.recipients.add}
        </Button>
      </Form>
    </section>
  );
};
