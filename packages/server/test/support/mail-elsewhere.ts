import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

/*
 * A mail server for the machine of others: a program that listens on port 25 of an address. It knows every mailbox that is not called
 * `gone`. Each message becomes a file of a folder, named after its number and recipient.
 *
 *     node mail-elsewhere.ts ADDRESS FOLDER
 */

const [address = "", folder = ""] = process.argv.slice(2);

let count = 0;
const smtp = new SMTPServer({
  logger: false,
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  disableReverseLookup: true,
  onRcptTo: ({ address }, _session, done) =>
    address.startsWith("gone@")
      ? done(Object.assign(new Error(`5.1.1 <${address}>: no such user`), { responseCode: 550 }))
      : done(),
  onData: async (stream, { envelope }, done) => {
    const content = await buffer(stream);
    count += 1;
    for (const { address } of envelope.rcptTo) {
      writeFileSync(join(folder, "part"), content);
      renameSync(join(folder, "part"), join(folder, `${count}-${address}`));
    }
    done();
  },
});
smtp.on("error", () => {});
smtp.listen(25, address);
await once(smtp.server, "listening");
