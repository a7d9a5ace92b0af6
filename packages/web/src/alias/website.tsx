import type { Schemas } from "@postern/client";
import { api } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { words } from "../words/words.ts";
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
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (!edit.isOpen) {
    return (
      <div class="line">
        {stored !== "" && (
          <p>
            {words.alias.website}: <bdi>{stored}</bdi>
          </p>
        )}
        {datetime_deleted === null && data !== undefined && (
          <button type="button" class="link" onClick={() => edit.change(stored)}>
            {stored === "" ? words.alias.addWebsite : words.alias.changeWebsite}
          </button>
        )}
      </div>
    );
  }
  return (
    <Form label={words.alias.website} onSubmit={edit.save}>
      <Field
        label={words.alias.website}
        hint={edit.isConflicting ? `${words.alias.changedMeanwhile} ${stored}` : words.alias.websiteHint}
        inputMode="url"
        autocapitalize="off"
        maxLength={2_000}
        value={edit.value}
        onInput={edit.change}
      />
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
