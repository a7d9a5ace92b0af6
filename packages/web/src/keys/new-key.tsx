import type { Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { useRef, useState } from "preact/hooks";
import { reads } from "../api/api.ts";
import { draft } from "../drafts.ts";
import {
  defaultRecipient,
  ineligibility,
  MOST_RECIPIENTS,
  type Recipient,
  useAllRecipients,
} from "../recipients/all-recipients.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Checks, Choice, Field, Select } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { words } from "../words/words.ts";
import { createKey, type LostKey } from "./create-key.ts";
import { LostKeyNotice } from "./lost-key.tsx";
import { SCOPES, type Scope, scopesFor, USES, type Use } from "./programs.ts";

type Typed = {
  readonly name: string;
  readonly use: Use;
  readonly scopes: readonly Scope[];
  /** A day, as fields for days have it; empty for never. */
  readonly expires: string;
  /** Empty for the first one. */
  readonly domain: string;
  /** None for the default one. */
  readonly recipients: readonly string[];
};

const UNTOUCHED: Typed = {
  name: "",
  use: "passwordManager",
  scopes: ["aliases:create"],
  expires: "",
  domain: "",
  recipients: [],
};

/** A key works until the day is over where its owner is. */
const endOf = (day: string): number => new Date(`${day}T23:59:59.999`).getTime();

/** What the API is asked for; or what is wrong with what was typed. */
const read = (typed: Typed): Schemas["CreateApiKey"] | string => {
  const { name, use, scopes, expires, domain, recipients } = typed;
  const [scope, ...moreScopes] = scopesFor[use] ?? scopes;
  const [recipient, ...moreRecipients] = recipients;
  if (name.trim() === "") return words.keys.nameMissing;
  if (scope === undefined) return words.keys.scopesMissing;
  if (expires !== "" && !(endOf(expires) > Date.now())) return words.keys.expiresPast;
  if (recipients.length > MOST_RECIPIENTS) return words.keys.tooManyRecipients(MOST_RECIPIENTS);
  return {
    name: name.trim(),
    scopes: [scope, ...moreScopes],
    ...(expires !== "" && { expires: endOf(expires) }),
    ...(domain !== "" && { alias_domain: domain }),
    ...(recipient !== undefined && { recipient_ids: [recipient, ...moreRecipients] }),
  };
};

/** Where the aliases that the program makes are, and where they forward to. */
const ForAliases = ({
  typed,
  change,
  able,
  domains,
}: {
  readonly typed: Typed;
  readonly change: (changed: Partial<Typed>) => void;
  /** The recipients that can be chosen; undefined until they are known. */
  readonly able: readonly Recipient[] | undefined;
  readonly domains: readonly string[];
}) => {
  if (able === undefined) return null;
  const byDefault = defaultRecipient(able);
  return (
    <>
      {domains.length > 1 && (
        <Select
          label={words.keys.domain}
          value={typed.domain || (domains[0] ?? "")}
          onInput={(domain) => change({ domain })}
          options={domains.map((each) => [each, each])}
        />
      )}
      {byDefault === undefined && (
        <Notice look="info">
          {words.keys.noRecipient} <a href="/recipients">{words.shell.sections.recipients}</a>
        </Notice>
      )}
      {byDefault !== undefined && able.length > 1 && (
        <div class="key-recipients">
          <Checks
            label={words.keys.recipients}
            values={typed.recipients}
            onInput={(chosen) => change({ recipients: chosen })}
            options={able.map(({ recipient_id, recipient_email }) => [recipient_id, recipient_email])}
          />
          {typed.recipients.length === 0 && (
            <p class="quiet">{words.keys.defaultRecipient(byDefault.recipient_email)}</p>
          )}
        </div>
      )}
    </>
  );
};

/** Asks what a new key is for, and makes it. */
export const NewKey = ({
  domains,
  onCreated,
  onClose,
}: {
  /** Those of aliases, the first one by default. */
  readonly domains: readonly string[];
  /** The only time that the secret is known. */
  readonly onCreated: (key: Schemas["ApiKeyCreated"]) => void;
  readonly onClose: () => void;
}) => {
  const typed = draft<Typed>("new key");
  const lost = draft<LostKey>("lost key");
  const { data: recipients } = useAllRecipients();
  const able = recipients?.filter((each) => ineligibility(each) === null);
  const kept = typed.value ?? UNTOUCHED;
  // Some that were chosen may have been deleted meanwhile.
  const now: Typed = {
    ...kept,
    recipients: kept.recipients.filter(
      (id) => able === undefined || able.some(({ recipient_id }) => recipient_id === id),
    ),
  };
  const change = (changed: Partial<Typed>) => {
    typed.value = { ...now, ...changed };
  };
  const [said, setSaid] = useState<{ readonly look: "bad" | "good"; readonly text: string } | null>(null);
  const notices = useRef<HTMLDivElement>(null);
  // The second click of two comes before `isPending` is rendered.
  const isSent = useRef(false);
  const creating = useMutation({
    // The result would be kept with the mutation: it has the secret, so it is handed on and not returned.
    mutationFn: async (wanted: Schemas["CreateApiKey"]) => {
      const created = await createKey(wanted);
      if (created.type === "created") {
        typed.value = null;
        onCreated(created.key);
      } else lost.value = created.lost;
    },
    onSettled: () => {
      isSent.current = false;
      void reads.invalidateQueries({ queryKey: ["keys"] });
      void reads.invalidateQueries({ queryKey: ["recipients"] });
    },
  });
  const submit = () => {
    if (isSent.current || lost.value !== null) return;
    const wanted = read(now);
    setSaid(typeof wanted === "string" ? { look: "bad", text: wanted } : null);
    creating.reset();
    if (typeof wanted === "string") return;
    isSent.current = true;
    creating.mutate(wanted);
  };
  const goOn = (look: "bad" | "good", text: string) => {
    lost.value = null;
    setSaid({ look, text });
    // The button that had the focus is gone.
    notices.current?.focus();
  };
  const scopes = scopesFor[now.use] ?? now.scopes;
  return (
    <Dialog title={words.keys.new} onClose={onClose}>
      <Form onSubmit={submit}>
        <Field
          label={words.keys.name}
          hint={words.keys.nameHint}
          value={now.name}
          maxLength={100}
          autocomplete="off"
          onInput={(name) => change({ name })}
        />
        <Choice
          label={words.keys.use}
          value={now.use}
          onInput={(use) => change({ use })}
          options={USES.map((use) => [use, words.keys.uses[use], words.keys.useTexts[use]])}
        />
        {scopesFor[now.use] === null && (
          <Checks
            label={words.keys.may}
            values={now.scopes}
            onInput={(chosen) => change({ scopes: chosen })}
            options={SCOPES.map((scope) => [scope, words.keys.scopes[scope]])}
          />
        )}
        <Field
          label={words.keys.expires}
          hint={words.keys.expiresHint}
          type="date"
          value={now.expires}
          onInput={(expires) => change({ expires })}
        />
        {scopes.includes("aliases:create") && <ForAliases {...{ typed: now, change, able, domains }} />}
        <div ref={notices} tabIndex={-1} class="stack">
          {said !== null && <Notice look={said.look}>{said.text}</Notice>}
          <ProblemNotice error={creating.error} />
          {lost.value !== null && (
            <LostKeyNotice
              lost={lost.value}
              onAbsent={() => goOn("bad", words.keys.lostAbsent)}
              onDeleted={() => goOn("good", words.keys.lostDeleted)}
            />
          )}
        </div>
        <div class="actions">
          <Button look="main" icon="key" busy={creating.isPending || lost.value !== null}>
            {words.keys.create}
          </Button>
          <Button onClick={onClose}>{words.common.cancel}</Button>
        </div>
      </Form>
    </Dialog>
  );
};
