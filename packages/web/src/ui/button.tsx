import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { Icon, type IconName } from "./icons.tsx";

type Props = {
  readonly children: ComponentChildren;
  /** `main` is what people come for; `danger` cannot be undone. */
  readonly look?: "main" | "danger" | "plain";
  readonly icon?: IconName;
  /** Which of several things it is for, if only the place says so: “ada@example.com”. */
  readonly about?: string;
  /** While it works. It keeps the focus, and further clicks do nothing. */
  readonly busy?: boolean;
  /** Without it, the button submits its form. */
  readonly onClick?: ((event: TargetedMouseEvent<HTMLButtonElement>) => void) | undefined;
};

export const Button = ({ children, look, icon, about, busy = false, onClick }: Props) => (
  <button
    type={onClick === undefined ? "submit" : "button"}
    class={`button ${look ?? ""}`}
    aria-disabled={busy}
    onClick={(event) => {
      // The second click of a double click can come before it is known that the first one has begun something.
      if (busy || event.detail > 1) event.preventDefault();
      else onClick?.(event);
    }}
  >
    {icon !== undefined && <Icon name={icon} />}
    {children}
    {about !== undefined && <span class="unseen"> {about}</span>}
  </button>
);

/** A button of which only the icon is seen. */
export const IconButton = ({
  icon,
  label,
  onClick,
}: {
  readonly icon: IconName;
  /** What it does, and to what: “Remove ada@example.com”. */
  readonly label: string;
  readonly onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
}) => (
  <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
    <Icon name={icon} />
  </button>
);
