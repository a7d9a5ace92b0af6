/** Names of Linux's file systems by their `f_type` (statfs(2)). */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9P"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
]);

const IN_MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

const FUSE = 0x65735546;

/** What a file system means for a SQLite store. `network`: its locks and shared memory do not work there. */
export type FileSystem =
  | { readonly kind: "local" }
  | { readonly kind: "memory" }
  | { readonly kind: "unknown" }
  | { readonly kind: "network"; readonly name: string };

/** @param type `f_type` of Linux */
export const fileSystemOf = (type: number): FileSystem => {
  // It can be signed.
  const unsigned = type >>> 0;
  const name = NETWORK.get(unsigned);
  if (name !== undefined) return { kind: "network", name };
  if (IN_MEMORY.has(unsigned)) return { kind: "memory" };
  return { kind: unsigned === FUSE ? "unknown" : "local" };
};
