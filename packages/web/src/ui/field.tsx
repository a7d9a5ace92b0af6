import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

type Common = {
  readonly label: string;
  /** What to know before filling it in. */
  readonly hint?: ComponentChildren;
  /** What is wrong with what was typed. */
  readonly error?: string | null | undefined;
  readonly value: string;
  readonly onInput: (value: string) => void;
};

const ids = (id: string, hint: unknown, error: unknown) =>
  [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;

const Around = ({
  id,
  label,
  hint,
  error,
  children,
}: Pick<Common, "label" | "hint" | "error"> & {
  readonly id: string;
  readonly children: ComponentChildren;
}) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    {hint && (
      <p class="quiet" id={`${id}-hint`}>
        {hint}
      </p>
    )}
    {error && (
      <p class="bad-text" id={`${id}-error`}>
        {error}
      </p>
    )}
  </div>
);

type Input = Common & {
  readonly type?: "text" | "email" | "password" | "search" | "url" | "number" | "date" | "datetime-local";
  readonly name?: string;
  readonly autocomplete?:
    | "username"
    | "current-password"
    | "new-password"
    | "one-time-code"
    | "email"
    | "off";
  readonly autocapitalize?: "off";
  readonly inputMode?: "numeric" | "email" | "url";
  readonly maxLength?: number;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly spellcheck?: boolean;
};

export const Field = ({ label, hint, error, value, onInput, type = "text", ...others }: Input) => {
  const id = useId();
  return (
    <Around {...{ id, label, hint, error }}>
      <input
        {...others}
        id={id}
        type={type as "text"}
        value={value}
        dir={type === "text" || type === "search" ? "auto" : undefined}
        aria-describedby={ids(id, hint, error)}
        aria-invalid={error ? true : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </Around>
  );
};

export const TextArea = ({
  label,
  hint,
  error,
  value,
  onInput,
  rows,
  maxLength,
}: Common & { readonly rows: number; readonly maxLength?: number }) => {
  const id = useId();
  return (
    <Around {...{ id, label, hint, error }}>
      <textarea
        id={id}
        dir="auto"
        rows={rows}
        maxLength={maxLength}
        value={value}
        aria-describedby={ids(id, hint, error)}
        aria-invalid={error ? true : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </Around>
  );
};

export const Select = ({
  label,
  hint,
  error,
  value,
  onInput,
  options,
}: Common & { readonly options: readonly (readonly [value: string, words: string])[] }) => {
  const id = useId();
  return (
    <Around {...{ id, label, hint, error }}>
      <select
        id={id}
        value={value}
        aria-describedby={ids(id, hint, error)}
        onChange={({ currentTarget }) => onInput(currentTarget.value)}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </Around>
  );
};

/** One of several, all of which are seen. */
export const Choice = <T extends string>({
  label,
  value,
  onInput,
  options,
}: {
  readonly label: string;
  readonly value: T;
  readonly onInput: (value: T) => void;
  readonly options: readonly (readonly [value: T, words: string, explanation?: string])[];
}) => {
  const id = useId();
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {options.map(([each, text, explanation]) => (
        <label key={each}>
          <input type="radio" name={id} checked={each === value} onChange={() => onInput(each)} />
          <span>
            {text}
            {explanation && <small>{explanation}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
};

/** Any number of several. */
export const Checks = <T extends string>({
  label,
  values,
  onInput,
  options,
}: {
  readonly label: string;
  readonly values: readonly T[];
  readonly onInput: (values: readonly T[]) => void;
  readonly options: readonly (readonly [value: T, words: string, explanation?: string])[];
}) => (
  <fieldset class="choice">
    <legend>{label}</legend>
    {options.map(([each, text, explanation]) => (
      <label key={each}>
        <input
          type="checkbox"
          checked={values.includes(each)}
          onChange={({ currentTarget: { checked } }) =>
            onInput(
              options
                .map(([option]) => option)
                .filter((option) => (option === each ? checked : values.includes(option))),
            )
          }
        />
        <span>
          {text}
          {explanation && <small>{explanation}</small>}
        </span>
      </label>
    ))}
  </fieldset>
);
