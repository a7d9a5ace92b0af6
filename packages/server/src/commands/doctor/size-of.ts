const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** A number of bytes for people, such as `1.5 GiB`. */
export const sizeOf = (bytes: number): string => {
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1);
  const size = bytes / 1024 ** step;
  return `${size < 10 && step > 0 ? size.toFixed(1) : Math.round(size)} ${UNITS[step]}`;
};
