import { execFileSync } from "node:child_process";
import { renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { onTestFinished } from "vitest";

/** `EXT4_IOC_SHUTDOWN` with `EXT4_GOING_FLAGS_NOLOGFLUSH` (linux/fs/ext4/ext4.h). Node has no ioctl. */
const SHUT_DOWN = `
  open(my $root, "<", $ARGV[0]) or die;
  my $flags = pack("L", 2);
  ioctl($root, 0x8004587D, $flags) or die;
`;

/** A file system of its own, ext4 in a file, whose power can fail. It is removed after the test. */
export const newDisk = () => {
  const parent = newDirectory();
  const [image, path] = [join(parent, "image"), newDirectory()];
  writeFileSync(image, "");
  truncateSync(image, 512 * 2 ** 20);
  execFileSync("mkfs.ext4", ["-q", "-F", image]);
  const mount = () => execFileSync("mount", ["-o", "loop", image, path]);
  mount();
  // Lazily: after a failure, a process may still have files open.
  onTestFinished(() => void execFileSync("umount", ["--lazy", path]));
  return {
    path,
    /** From now on, nothing reaches the disk. What was not flushed is lost, and every write and flush fails. */
    cutPower: () => execFileSync("perl", ["-e", SHUT_DOWN, path]),
    /** Restores the power: the file system has what was on the disk. No process may have a file of it open. */
    start: () => {
      execFileSync("umount", [path]);
      // A copy: a mount namespace that was made in the meantime, such as a browser's, keeps the file system as it was.
      execFileSync("cp", ["--sparse=always", image, `${image}-copy`]);
      renameSync(`${image}-copy`, image);
      mount();
    },
  };
};
