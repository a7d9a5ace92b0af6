import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "@postern/test-support/free-port";

/** A real DNS server on loopback (dnsmasq) with these records, and no others in `.test`. */
export const startDnsServer = async (records: readonly string[]) => {
  const port = await freePort();
  const local = ["--no-resolv", "--no-hosts", "--conf-file=/dev/null", "--local=/test/", "--pid-file="];
  const place = ["--listen-address=127.0.0.1", "--bind-interfaces", `--port=${port}`];
  const server = spawn("dnsmasq", [
    "--keep-in-foreground",
    "--log-facility=-",
    ...local,
    ...place,
    ...records,
  ]);
  const ended = once(server, "close");
  // It logs that it has started.
  await Promise.race([once(server.stderr, "data"), ended]);
  const program = `import { setServers } from "node:dns"; setServers(["127.0.0.1:${port}"]);`;
  return {
    /** Where it answers, as Node and `POSTERN_DNS` name it. */
    address: `127.0.0.1:${port}`,
    /** Variables with which Node asks this server. */
    variables: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` },
    stop: async () => {
      server.kill();
      await ended;
    },
  };
};
