import type { ClientError, Schemas } from "@postern/client";
import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, reads } from "../api/api.ts";
import { usePages } from "../api/read.ts";
import { draft } from "../drafts.ts";
import { Address } from "../ui/address.tsx";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Copy } from "../ui/copy.tsx";
import { EndlessList } from "../ui/endless-list.tsx";
import { Field, Select } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { OnDay } from "../ui/time.tsx";
import { wordFor, words } from "../words/words.ts";
import { blockContact } from "./block-contact.ts";

type Contact = Schemas["Contact"];

const BLOCKINGS = ["none", "reject", "discard"] as const;

/** What is wrong with an address that was typed; null if something else is. */
const flawOf = (error: ClientError | null): string | null =>
  error?.code === "invalid_request" ? words.recipients.notAnAddress : null;

/** Gets the address at which the alias's recipients can write to somebody first. */
const WriteToSomebody = ({ aliasId }: { readonly aliasId: string }) => {
  const typed = draft<string>(`contact ${aliasId}`);
  const adding = useMutation({
    mutationFn: (email: string) => api.createContact(aliasId, email),
    onSuccess: ({ data }, email) => {
      // Perhaps somebody else has been typed meanwhile.
      if (typed.value?.trim() === email) typed.value = null;
      void reads.invalidateQueries({ queryKey: ["contacts", aliasId] });
      announce(words.contacts.added(data.reverse_email));
    },
    onError: (error) => announce(flawOf(error) ?? ""),
  });
  const flaw = flawOf(adding.error);
  return (
    <section class="card" aria-labelledby="write">
      <h2 id="write">{words.contacts.newTitle}</h2>
      <Form onSubmit={() => !adding.isPending && adding.mutate((typed.value ?? "").trim())}>
        <Field
          label={words.contacts.email}
          error={flaw}
          inputMode="email"
          autocapitalize="off"
          autocomplete="off"
          spellcheck={false}
          value={typed.value ?? ""}
          onInput={(email) => {
            typed.value = email;
            if (!adding.isPending) adding.reset();
          }}
        />
        {flaw === null && <ProblemNotice error={adding.error} />}
        {adding.data !== undefined && (
          <Notice look="good">
            {words.contacts.added("")}
            <Address of={adding.data.data.reverse_email} /> <Copy text={adding.data.data.reverse_email} />
          </Notice>
        )}
        <Button busy={adding.isPending}>{words.contacts.add}</Button>
      </Form>
    </section>
  );
};

const Row = ({
  aliasId,
  isDeleted,
  contact,
}: {
  readonly aliasId: string;
  readonly isDeleted: boolean;
  readonly contact: Contact;
}) => {
  const { email, reverse_email, datetime_last_received, datetime_last_sent } = contact;
  const blocking = useMutation<Contact, ClientError, Schemas["Blocking"]>({
    // Arrow keys choose one after the other: each is stored, and the last one stays.
    scope: { id: `contact ${contact.contact_id}` },
    mutationFn: (how) => blockContact(aliasId, contact.contact_id, how),
    onSuccess: (changed) =>
      announce(words.contacts.changed(email, wordFor(words.contacts.blocking, changed.blocking))),
    onError: ({ problem }) =>
      problem.code === "precondition_failed"
        ? reads.invalidateQueries({ queryKey: ["contacts", aliasId] })
        : undefined,
  });
  const current = blocking.isPending ? blocking.variables : contact.blocking;
  return (
    <li class={`row ${contact.blocking === "none" ? "" : "off"}`}>
      <div class="grow">
        <p>
          <strong>
            <Address of={email} />
          </strong>
        </p>
        <p class="quiet">
          {words.contacts.replyAddress}: <Address of={reverse_email} /> <Copy text={reverse_email} />
        </p>
        <p class="quiet">
          {datetime_last_received !== null && (
            <>
              {words.contacts.lastReceived} <OnDay time={datetime_last_received} />
            </>
          )}
          {datetime_last_received !== null && datetime_last_sent !== null && ", "}
          {datetime_last_sent !== null && (
            <>
              {words.contacts.lastSent} <OnDay time={datetime_last_sent} />
            </>
          )}
        </p>
        <ProblemNotice error={blocking.error} />
      </div>
      {isDeleted ? (
        contact.blocking !== "none" && (
          <p class="quiet">
            {words.contacts.changed(email, wordFor(words.contacts.blocking, contact.blocking))}
          </p>
        )
      ) : (
        <Select
          label={words.contacts.mail(email)}
          value={current}
          onInput={(value) => {
            const how = BLOCKINGS.find((each) => each === value);
            if (how !== undefined) blocking.mutate(how);
          }}
          options={[
            ...BLOCKINGS.map((each) => [each, words.contacts.blocking[each]] as const),
            // What a newer API has set is shown as it is.
            ...(Object.hasOwn(words.contacts.blocking, current) ? [] : [[current, current] as const]),
          ]}
        />
      )}
    </li>
  );
};

/** Those with whom the alias has exchanged mail, and how to write to them. */
export const Contacts = ({
  alias: { alias_id: id, datetime_deleted },
}: {
  readonly alias: Schemas["Alias"];
}) => {
  const [search, setSearch] = useState("");
  const [found, setFound] = useState("");
  const pages = usePages(["contacts", id, found], (page, signal) =>
    api.listContacts(id, { ...page, limit: 50, ...(found !== "" && { email: found }) }, { signal }),
  );
  const flaw = flawOf(pages.error);
  return (
    <>
      <p>{datetime_deleted === null ? words.contacts.explanation : words.contacts.ofDeleted}</p>
      {datetime_deleted === null && <WriteToSomebody aliasId={id} />}
      <Form onSubmit={() => setFound(search.trim())}>
        <Field
          label={words.contacts.search}
          error={search.trim() === found ? flaw : null}
          type="search"
          inputMode="email"
          autocapitalize="off"
          value={search}
          onInput={(value) => {
            setSearch(value);
            if (value.trim() === "") setFound("");
          }}
        />
        <Button>{words.contacts.find}</Button>
      </Form>
      {flaw === null && (
        <EndlessList
          name={`contacts ${id} ${found}`}
          label={words.contacts.title}
          pages={pages}
          items={({ contacts }) => contacts}
          row={(contact) => (
            <Row
              key={contact.contact_id}
              aliasId={id}
              isDeleted={datetime_deleted !== null}
              contact={contact}
            />
          )}
          empty={
            <div class="empty">
              <p>{found === "" ? words.contacts.none : words.contacts.nothing}</p>
            </div>
          }
        />
      )}
    </>
  );
};
