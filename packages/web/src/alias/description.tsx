import type { Schemas } from "@postern/client";
import { api } from "../api/api.ts";
import { Field } from "../ui/field.tsx";
import { useKeptFocus } from "../ui/kept-focus.ts";
import { Notice } from "../ui/notice.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { words } from "../words/words.ts";
import { EditForm } from "./edit-form.tsx";
import { LONGEST_DESCRIPTION } from "./longest-description.ts";
import { etagOf, reloadAlias, showAlias } from "./stored-alias.ts";

/** What its owner calls the alias: one line. */
export const Description = ({ alias }: { readonly alias: Schemas["Alias"] }) => {
  const { alias_id: id, description, datetime_deleted } = alias;
  const edit = useEdit({
    name: `description ${id}`,
    stored: description,
    save: async (text) =>
      showAlias(await api.updateAlias(id, { description: text }, { ifMatch: etagOf(id) })),
    reload: () => reloadAlias(id),
  });
  const around = useKeptFocus<HTMLDivElement>(edit.isOpen);
  if (datetime_deleted !== null && description === "") return null;
  const shown = (
    <p class="long">
      <bdi>{description}</bdi>
    </p>
  );
  return (
    <div ref={around}>
      {edit.isOpen ? (
        <EditForm label={words.alias.description} edit={edit} stored={shown}>
          <Field
            label={words.alias.description}
            maxLength={LONGEST_DESCRIPTION}
            value={edit.value}
            onInput={edit.change}
          />
        </EditForm>
      ) : (
        <>
          {description !== "" && shown}
          {edit.isSaved && <Notice look="good">{words.common.saved}</Notice>}
          {datetime_deleted === null && (
            <button type="button" class="link" onClick={() => edit.change(description)}>
              {description === "" ? words.alias.describe : words.alias.changeDescription}
            </button>
          )}
        </>
      )}
    </div>
  );
};
