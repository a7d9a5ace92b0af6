import { smtpMail } from "@postern/adapter-smtp";
import { ContainerModule } from "inversify";
import { token, tokens } from "./tokens.ts";

const connections = token<ReturnType<typeof smtpMail>>("smtp");

export const smtp = new ContainerModule(({ bind }) => {
  bind(connections)
    .toResolvedValue(
      ({ smtpUrl, mailFrom, publicUrl }) => smtpMail({ url: smtpUrl, from: mailFrom, publicUrl }),
      [tokens.configuration],
    )
    .inSingletonScope()
    .onDeactivation((mail) => mail.close());
  bind(tokens.verificationMail).toService(connections);
});
