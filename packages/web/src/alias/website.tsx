import type { Schemas } from "@postern/client";
import { api } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { Field } from "../ui/field.tsx";
import { useKeptFocus } from "../ui/kept-focus.ts";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { words } from "../words/words.ts";
import { EditForm } from "./edit-form.tsx";
import { etagOf, reloadAlias } from "./stored-alias.ts";

/** For which website the alias is. */
export const Website = ({ alias }: { readonly alias: Schemas["Alias"] }) => {
  const { alias_id: id, datetime_deleted } = alias;
  const { data, error, refetch } = useRead(["alias", id, "part", "website"], (signal) =>
    api.getAliasWebsite(id, { signal }),
  );
  const stored = data?.data.website ?? "";
  const edit = useEdit({
    name: `website ${id}`,
    stored,
    save: async (website) => {
      await api.updateAliasWebsite(id, website.trim(), { ifMatch: etagOf(id) });
      // It has the version of the alias.
      await reloadAlias(id);
    },
    reload: () => reloadAlias(id),
  });
  const around = useKeptFocus<HTMLDivElement>(edit.isOpen);
  if (data === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (datetime_deleted !== null && stored === "") return null;
  return (
    <div ref={around}>
      {edit.isOpen ? (
        <EditForm label={words.alias.website} edit={edit} stored={<bdi>{stored}</bdi>}>
          <Field
            label={words.alias.website}
            hint={words.alias.websiteHint}
            inputMode="url"
            autocapitalize="off"
            maxLength={2_000}
            value={edit.value}
            onInput={edit.change}
          />
        </EditForm>
      ) : (
        <>
          <div class="line">
            {stored !== "" && (
              <p>
                {words.alias.website}: <bdi>{stored}</bdi>
              </p>
            )}
            {datetime_deleted === null && (
              <button type="button" class="link" onClick={() => edit.change(stored)}>
                {stored === "" ? words.alias.addWebsite : words.alias.changeWebsite}
              </button>
            )}
          </div>
          {edit.isSaved && <Notice look="good">{words.common.saved}</Notice>}
        </>
      )}
    </div>
  );
};
