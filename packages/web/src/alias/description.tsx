import type { Schemas } from "@postern/client";
import { api } from "../api/api.ts";
import { Button } from "../ui/button.tsx";
import { TextArea } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { words } from "../words/words.ts";
import { etagOf, reloadAlias, showAlias } from "./stored-alias.ts";

/** In characters. */
const MOST = 500;

/** What its owner calls the alias. */
export const Description = ({ alias }: { readonly alias: Schemas["Alias"] }) => {
  const { alias_id: id, description, datetime_deleted } = alias;
  const edit = useEdit({
    name: `description ${id}`,
    stored: description,
    save: async (text) =>
      showAlias(await api.updateAlias(id, { description: text }, { ifMatch: etagOf(id) })),
    reload: () => reloadAlias(id),
  });
  if (!edit.isOpen) {
    return (
      <div>
        {description !== "" && (
          <p class="long">
            <bdi>{description}</bdi>
          </p>
        )}
        {edit.isSaved && <Notice look="good">{words.common.saved}</Notice>}
        {datetime_deleted === null && (
          <button type="button" class="link" onClick={() => edit.change(description)}>
            {description === "" ? words.alias.describe : words.alias.changeDescription}
          </button>
        )}
      </div>
    );
  }
  return (
    <Form label={words.alias.description} onSubmit={edit.save}>
      <TextArea
        label={words.alias.description}
        rows={3}
        maxLength={MOST}
        value={edit.value}
        onInput={edit.change}
      />
      {edit.isConflicting && (
        <Notice look="info">
          <p>{words.alias.changedMeanwhile}</p>
          <p class="long">
            <bdi>{description}</bdi>
          </p>
        </Notice>
      )}
      <ProblemNotice error={edit.error} />
      <div class="actions">
        <Button look="main" busy={edit.isBusy}>
          {words.common.save}
        </Button>
        <Button onClick={edit.cancel}>{words.common.cancel}</Button>
      </div>
    </Form>
  );
};
