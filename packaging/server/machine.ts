import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { fromOutside } from "./from-outside.ts";

type Ran = { readonly status: number; readonly output: string; readonly errors: string };

/** The folders of a machine that the documents name. */
const NAMED = /(?<![\w./-])\/(opt|etc|var\/lib|usr\/local|backups)\b/g;

/**
 * Stands in for systemd. It runs what the unit's `ExecStart` says, with its `Environment` and its `EnvironmentFile`, whose
 * values must not contain spaces.
 */
const systemctl = (root: string): string => `#!/bin/sh
cd ${root}/var/lib/postern
unit() { sed -n "s|^$1=||p" ${root}/etc/systemd/system/postern.service | sed 's| /| ${root}/|g; s|=/|=${root}/|g; s|^/|${root}/|'; }
stop() {
  kill -TERM "$(cat ${root}/pid)"
  # One that nobody waits for stays a zombie.
  while grep -qs '^State:.[^Z]' "/proc/$(cat ${root}/pid)/status"; do sleep 0.05; done
}
start() {
  : > ${root}/journal
  env -i "PATH=$PATH" $(unit Environment) $(grep '^[A-Z].*=.' "$(unit EnvironmentFile)") \
    sh -c 'SYSTEMD_EXEC_PID=$$ exec "$0"' $(unit ExecStart) > ${root}/journal 2>&1 < /dev/null &
  echo $! > ${root}/pid
  until grep -q '"msg":"serving"' ${root}/journal; do
    kill -0 $! 2> /dev/null || { cat ${root}/journal >&2; exit 1; }
    sleep 0.05
  done
}
case "$1 $2" in
  "start postern") start ;;
  "stop postern") stop ;;
  "restart postern") stop; start ;;
  *) exit 64 ;;
esac
`;

/** A folder in which commands of the documents run as if it were `/`. */
export type Machine = {
  readonly root: string;
  /** Where a path of the documents is. */
  readonly path: (path: string) => string;
  /** Runs commands of a document until one fails. They get these variables, and none of the workspace's. */
  readonly sh: (commands: string, variables?: Record<string, string>, directory?: string) => Promise<Ran>;
  readonly stop: () => Promise<void>;
};

export const newMachine = (node: string): Machine => {
  const root = newDirectory();
  for (const folder of ["opt", "etc/systemd/system", "var/lib/postern", "usr/local/bin", "backups", "bin"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, "bin/systemctl"), systemctl(root), { mode: 0o755 });
  symlinkSync(node, join(root, "bin/node"));
  const path = (named: string) => named.replace(NAMED, `${root}/$1`);
  const PATH = `${root}/usr/local/bin:${root}/bin:${dirname(node)}:${fromOutside["PATH"]}`;

  const sh: Machine["sh"] = (commands, variables = {}, directory = root) =>
    new Promise((resolve) => {
      const child = execFile(
        "sh",
        ["-euc", path(commands)],
        { cwd: directory, env: { ...fromOutside, PATH, ...variables }, maxBuffer: 2 ** 26 },
        (_, output, errors) => resolve({ status: child.exitCode ?? -1, output, errors }),
      );
    });

  return {
    root,
    path,
    sh,
    stop: async () => {
      await sh("test ! -e pid || systemctl stop postern");
    },
  };
};
