import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useSwitchAlias } from "../aliases/switch-alias.ts";
import { api } from "../api/api.ts";
import { relative } from "../format.ts";
import { path } from "../router.ts";
import { Address } from "../ui/address.tsx";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Copy } from "../ui/copy.tsx";
import { useKeptFocus } from "../ui/kept-focus.ts";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { Reading } from "../ui/reading.tsx";
import { Switch } from "../ui/switch.tsx";
import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";
import { AliasRecipients } from "./alias-recipients.tsx";
import { Contacts } from "./contacts.tsx";
import { Counters } from "./counters.tsx";
import { Description } from "./description.tsx";
import { Messages } from "./messages.tsx";
import { Restore } from "./restore.tsx";
import { Rules } from "./rules.tsx";
import { etagOf, forgetLists, reloadAlias, showAlias, useAlias } from "./stored-alias.ts";
import { Website } from "./website.tsx";

const TABS = [
  ["", "messages", Messages],
  ["/contacts", "contacts", Contacts],
  ["/rules", "rules", Rules],
] as const;

const OnOff = ({ alias }: { readonly alias: Schemas["Alias"] }) => {
  const switching = useSwitchAlias(() => {});
  const active = switching.isPending ? switching.variables.active : alias.active;
  return (
    <>
      <div class="line">
        <Switch
          label={words.alias.forwards(alias.alias_email)}
          on={active}
          onChange={(on) => switching.mutate({ alias, active: on })}
        />
        <span>{active ? words.alias.isOn : words.alias.isOff}</span>
      </div>
      <ProblemNotice error={switching.error} />
    </>
  );
};

const Delete = ({ alias: { alias_id: id } }: { readonly alias: Schemas["Alias"] }) => {
  const [isAsking, setAsking] = useState(false);
  const deleting = useMutation({
    mutationFn: () => api.deleteAlias(id, { ifMatch: etagOf(id) }),
    onSuccess: (deleted) => {
      setAsking(false);
      showAlias(deleted);
      forgetLists();
      announce(words.alias.deletedNow);
    },
    onError: ({ problem }) => (problem.code === "precondition_failed" ? reloadAlias(id) : undefined),
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {words.alias.delete}
      </Button>
      {isAsking && (
        <Confirm
          title={words.alias.deleteTitle}
          action={words.common.delete}
          busy={deleting.isPending}
          error={deleting.error}
          onConfirm={() => deleting.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{words.alias.deleteText}</p>
        </Confirm>
      )}
    </>
  );
};

/** One alias: what it is, whom it forwards to, and in tabs what happens at it. */
export const Alias = ({ id }: { readonly id: string }) => {
  const read = useAlias(id);
  const here = `/aliases/${encodeURIComponent(id)}`;
  const [, , Tab] = TABS.find(([end]) => path.value === here + end) ?? TABS[0];
  const alias = read.data?.data;
  const isDeleted = alias !== undefined && alias.datetime_deleted !== null;
  const state = useKeptFocus<HTMLDivElement>(isDeleted);
  return (
    <View
      title={words.alias.title}
      heading={alias && <Address of={alias.alias_email} />}
      back={{ to: "/", name: words.shell.sections.aliases }}
      action={alias && <Copy text={alias.alias_email} label={words.common.copy} />}
    >
      <Reading of={read} />
      {alias !== undefined && (
        <>
          <div ref={state} class="stack">
            {isDeleted ? <Restore alias={alias} /> : <OnOff alias={alias} />}
          </div>
          <Description alias={alias} />
          <Website alias={alias} />
          <AliasRecipients alias={alias} />
          <Counters alias={alias} />
          <nav class="tabs" aria-label={words.alias.tabs}>
            {TABS.map(([end, name]) => (
              <a
                key={name}
                href={here + end}
                data-stay
                aria-current={path.value === here + end ? "page" : undefined}
              >
                {words.alias[name]}
              </a>
            ))}
          </nav>
          <Tab alias={alias} />
          <footer class="line">
            <span class="quiet">{words.alias.created(relative(alias.datetime_created))}</span>
            {!isDeleted && <Delete alias={alias} />}
          </footer>
        </>
      )}
    </View>
  );
};
