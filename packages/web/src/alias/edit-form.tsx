import type { ComponentChildren } from "preact";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import type { useEdit } from "../ui/use-edit.ts";
import { words } from "../words/words.ts";

/** Changes a part of an alias. If somebody else has changed it meanwhile, what is stored now is shown beside what was typed. */
export const EditForm = ({
  label,
  edit: { isConflicting, isBusy, error, save, cancel },
  stored,
  children,
}: {
  readonly label: string;
  readonly edit: Omit<ReturnType<typeof useEdit>, "value" | "change">;
  readonly stored: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <Form label={label} onSubmit={save}>
    {children}
    {isConflicting && (
      <Notice look="info" action={{ name: words.alias.takeTheirs, run: cancel }}>
        <p>{words.alias.changedMeanwhile}</p>
        {stored}
      </Notice>
    )}
    <ProblemNotice error={error} />
    <div class="actions">
      <Button look="main" busy={isBusy}>
        {isConflicting ? words.alias.saveMine : words.common.save}
      </Button>
      <Button onClick={cancel}>{words.common.cancel}</Button>
    </div>
  </Form>
);
