import type { ComponentChildren } from "preact";

/** A form that this app handles: the CSP forbids browsers to submit it anywhere. */
export const Form = ({
  onSubmit,
  children,
  label,
}: {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
  readonly label?: string;
}) => (
  <form
    aria-label={label}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
  </form>
);
