import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Address } from "../ui/address.tsx";
import { announce } from "../ui/announcer.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { words } from "../words/words.ts";

export type Entry = {
  readonly id: string;
  readonly email: string;
  /** Why mail cannot be forwarded to it, in words; null if it can. */
  readonly problem: string | null;
};

/** A control of an entry. Of those that cannot be used at the moment, it can still be read why. */
const Control = ({
  icon,
  label,
  disabled = false,
  onClick,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}) => (
  <button
    type="button"
    class="icon-button"
    aria-label={label}
    title={label}
    aria-disabled={disabled}
    data-control={icon}
    onClick={() => !disabled && onClick()}
  >
    <Icon name={icon} />
  </button>
);

/** Where an entry is dropped: at the place of the one whose middle the pointer has passed. */
const placeAt = (list: HTMLElement, y: number): number =>
  [...list.children].filter((child) => {
    const { top, height } = child.getBoundingClientRect();
    return y > top + height / 2;
  }).length;

/**
 * A list whose order people change: by dragging with a mouse or a finger, with the arrow keys on the handle, or with buttons. Each move is
 * announced.
 */
export const Order = ({
  entries,
  onChange,
}: {
  readonly entries: readonly Entry[];
  readonly onChange: (ids: readonly string[]) => void;
}) => {
  const list = useRef<HTMLOListElement>(null);
  /** What keeps the focus although its row is moved in the document, or removed. */
  const focus = useRef<{ readonly id: string; readonly control: string } | null>(null);
  const dragged = useRef<string | null>(null);
  const ids = entries.map(({ id }) => id);

  const move = (id: string, to: number): void => {
    const from = ids.indexOf(id);
    const place = Math.max(0, Math.min(ids.length - 1, to));
    const entry = entries[from];
    if (entry === undefined || from === place) return;
    onChange(ids.toSpliced(from, 1).toSpliced(place, 0, id));
    announce(words.picker.moved(entry.email, place + 1, ids.length));
  };

  useLayoutEffect(() => {
    const wanted = focus.current;
    if (wanted === null) return;
    focus.current = null;
    const row = [...(list.current?.children ?? [])].find(
      (child) => child instanceof HTMLElement && child.dataset["id"] === wanted.id,
    );
    const control = row?.querySelector(`[data-control="${wanted.control}"]`);
    if (control instanceof HTMLElement) control.focus();
  });

  // The row is moved in the document while it is dragged, so the window listens, not the row.
  const latest = useRef(move);
  latest.current = move;
  useEffect(() => {
    const drag = ({ clientY }: PointerEvent) => {
      const id = dragged.current;
      if (id === null || list.current === null) return;
      const row = [...list.current.children].findIndex(
        (child) => child instanceof HTMLElement && child.dataset["id"] === id,
      );
      const place = placeAt(list.current, clientY);
      // Without itself, if it is above the pointer.
      latest.current(id, place > row ? place - 1 : place);
    };
    const drop = () => {
      dragged.current = null;
    };
    addEventListener("pointermove", drag);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
    return () => {
      removeEventListener("pointermove", drag);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
    };
  }, []);

  const remove = (id: string): void => {
    const at = ids.indexOf(id);
    const next = ids[at + 1] ?? ids[at - 1];
    if (next !== undefined) focus.current = { id: next, control: "remove" };
    onChange(ids.filter((each) => each !== id));
    announce(words.picker.removed(entries[at]?.email ?? ""));
  };

  return (
    <ol ref={list} class="order" aria-label={words.picker.title}>
      {entries.map(({ id, email, problem }, index) => {
        const step = (control: "up" | "down" | "handle", to: number) => {
          focus.current = { id, control };
          move(id, to);
        };
        return (
          <li key={id} data-id={id}>
            <button
              type="button"
              class="icon-button handle"
              aria-label={words.picker.handle(email, index + 1, ids.length)}
              data-control="handle"
              onPointerDown={(event) => {
                if (event.button !== 0) return;
                dragged.current = id;
                // Otherwise it would go on to the row, which is then somewhere else.
                event.currentTarget.releasePointerCapture(event.pointerId);
              }}
              onKeyDown={(event) => {
                if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
                event.preventDefault();
                step("handle", index + (event.key === "ArrowUp" ? -1 : 1));
              }}
            >
              <Icon name="handle" />
            </button>
            <span class="grow">
              <Address of={email} />
              {problem !== null && <small class="bad-text"> {problem}</small>}
            </span>
            <Control
              icon="up"
              label={words.picker.up(email)}
              disabled={index === 0}
              onClick={() => step("up", index - 1)}
            />
            <Control
              icon="down"
              label={words.picker.down(email)}
              disabled={index === ids.length - 1}
              onClick={() => step("down", index + 1)}
            />
            <Control
              icon="remove"
              label={ids.length === 1 ? words.picker.last : words.picker.remove(email)}
              disabled={ids.length === 1}
              onClick={() => remove(id)}
            />
          </li>
        );
      })}
    </ol>
  );
};
