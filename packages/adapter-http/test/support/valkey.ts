import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { freePort } from "@postern/test-support/free-port";

/** A real Valkey in its own process. Killing it loses its data. */
export const startValkey = async () => {
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async () => {
    child = fork(new URL("./valkey-main.ts", import.meta.url), [String(port)], { stdio: "ignore" });
    await once(child, "message");
  };
  const kill = async () => {
    if (child === null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    child = null;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    /** It keeps its connections and accepts new ones, but does not respond. */
    pause: () => child?.kill("SIGSTOP"),
    resume: () => child?.kill("SIGCONT"),
  };
};
