import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "./install-on-debian.ts";
import { newDirectory } from "./new-directory.ts";

/** What machines are made of. */
export const MACHINE_PROGRAMS: readonly Program[] = [
  { debianPackage: "util-linux", probe: ["unshare", "--version"], need: "the commands unshare and nsenter" },
  { debianPackage: "iproute2", probe: ["ip", "-Version"], need: "the ip command" },
];

type Ran = { readonly status: number; readonly output: string; readonly errors: string };

/** A machine with a network, processes and files of its own. */
export type Machine = {
  /** Runs commands there until one fails; in the network of this machine, which leads to others, if that is `ours`. */
  sh(
    commands: string,
    environment?: Readonly<Record<string, string>>,
    network?: "its own" | "ours",
  ): Promise<Ran>;
  /** Starts a command there, which ends with the machine at the latest. */
  start(command: readonly string[], environment?: Readonly<Record<string, string>>): void;
  /** A path in its namespaces, for commands that connect machines. */
  readonly network: string;
  /** Ends all of its processes. Idempotent. */
  stop(): Promise<void>;
};

/** Where the files of a machine are. */
export type Files =
  /** The folders of this machine of which it has a copy, which goes with it. It shares all others. */
  | { readonly own: readonly string[] }
  /** A folder with a system, which it changes. */
  | { readonly system: string };

const NEEDS =
  "The tests need network and mount namespaces: run them as root with the capability CAP_SYS_ADMIN, for example in a container that is started with --privileged";

const overlay = (lower: string, mountPoint: string): string => {
  const directory = newDirectory();
  const [upper, work] = [join(directory, "upper"), join(directory, "work")];
  mkdirSync(upper);
  mkdirSync(work);
  return `mount -t overlay overlay -o lowerdir=${lower},upperdir=${upper},workdir=${work} ${mountPoint}`;
};

/** Ends with its standard input, so with the process that started it, and everything else on the machine with it. */
const WAIT = "echo ready; exec cat";

const beginning = (files: Files): string =>
  [
    "ip link set lo up",
    ...("own" in files
      ? files.own.map((folder) => overlay(folder, folder))
      : [`mount -t proc proc ${files.system}/proc`, `mount --rbind /dev ${files.system}/dev`]),
    WAIT,
  ].join("\n");

/** Starts a machine without a connection to any other. It needs root, and the right to make namespaces. */
export const startMachine = async (files: Files): Promise<Machine> => {
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const holder = spawn("unshare", [...namespaces, "sh", "-euc", beginning(files)]);
  const ended = once(holder, "close");
  let errors = "";
  holder.stderr.on("data", (text: Buffer) => {
    errors += String(text);
  });
  const isReady = await Promise.race([once(holder.stdout, "data").then(() => true), ended.then(() => false)]);
  if (!isReady) throw new Error(`${NEEDS} (${errors.trim()})`);
  const ns = `/proc/${holder.pid}/ns`;
  const network = `--net=${ns}/net`;
  const inside = [
    ...[`--mount=${ns}/mnt`, `--pid=${ns}/pid_for_children`],
    ...("system" in files ? ["chroot", files.system] : []),
  ];
  const enter = ["nsenter", network, ...inside];

  return {
    network,
    sh: (commands, environment = {}, where = "its own") =>
      new Promise((resolve) => {
        const prefix = where === "ours" ? ["nsenter", ...inside] : enter;
        const [program = "", ...args] = [...prefix, "sh", "-euc", commands];
        const child = execFile(
          program,
          args,
          { env: { PATH: process.env["PATH"], ...environment }, maxBuffer: 2 ** 26 },
          (_, output, errors) => resolve({ status: child.exitCode ?? -1, output, errors }),
        );
      }),
    start: (command, environment = {}) => {
      const [program = "", ...args] = [...enter, ...command];
      spawn(program, args, { env: { PATH: process.env["PATH"], ...environment }, stdio: "ignore" });
    },
    stop: async () => {
      holder.stdin.end();
      await ended;
    },
  };
};

/** Connects two machines, which then have these addresses of a network with 24 bits in common. */
export const connect = async (
  ...ends: readonly [readonly [Machine, readonly string[]], readonly [Machine, readonly string[]]]
): Promise<void> => {
  const [[first], [second]] = ends;
  const link = `nsenter ${first.network} ip link add name eth0 type veth peer name eth0 netns ${/\d+/.exec(second.network)?.[0]}`;
  const commands = [
    link,
    ...ends.flatMap(([{ network }, addresses]) => [
      ...addresses.map((address) => `nsenter ${network} ip address add ${address}/24 dev eth0`),
      `nsenter ${network} ip link set eth0 up`,
    ]),
  ];
  await new Promise<void>((resolve, reject) => {
    execFile("sh", ["-euc", commands.join("\n")], (error) =>
      error === null ? resolve() : reject(new Error(NEEDS, { cause: error })),
    );
  });
};
