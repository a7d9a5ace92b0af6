/** On or off, at once. */
export const Switch = ({
  label,
  on,
  onChange,
}: {
  /** What is on or off: “shop@alias.example forwards mail”. */
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}) => (
  <button
    type="button"
    role="switch"
    class="switch"
    aria-checked={on}
    aria-label={label}
    onClick={() => onChange(!on)}
  >
    <span />
  </button>
);
