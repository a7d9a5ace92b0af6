import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { connect as connectTls } from "node:tls";

/** The replies on a connection, one after the other. */
const repliesOf = (socket: Socket): (() => Promise<string>) => {
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return async () => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) return "closed";
      // All lines of a reply but the last have a hyphen after the code.
      if (/^\d{3} /.test(value)) return value;
    }
  };
};

/** A connection to a mail server, by hand. */
export const openSession = async (port: number) => {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  let said = "";
  socket.on("data", (data: Buffer) => {
    said += data.toString("latin1");
  });
  const reply = repliesOf(socket);
  const greeting = await reply();
  const say = async (text: string): Promise<string> => {
    socket.write(`${text}\r\n`);
    return reply();
  };
  return {
    greeting,
    /** Sends a line, and returns the last line of the reply; `closed` if the server hangs up. */
    say,
    /** Sends a line to which there is no reply. */
    write: (text: string) => void socket.write(`${text}\r\n`),
    /** The next reply, even if nothing was sent. */
    reply,
    /** Everything that the server has said. */
    said: () => said,
    /** The name in the certificate that the server shows after STARTTLS. */
    certificateName: async (): Promise<string | undefined> => {
      await say("EHLO client.test");
      socket.write("STARTTLS\r\n");
      await reply();
      const secure = connectTls({ socket, rejectUnauthorized: false });
      await once(secure, "secureConnect");
      const { CN } = secure.getPeerCertificate().subject;
      secure.destroy();
      return [CN].flat()[0];
    },
    end: () => void socket.destroy(),
  };
};
