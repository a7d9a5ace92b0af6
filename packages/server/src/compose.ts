// inversify counts its modules through it.
import "reflect-metadata";
import type { VerificationMail } from "@postern/core";
import { Container, ContainerModule } from "inversify";
import type { Configuration } from "./configuration.ts";
import { http } from "./modules/http.ts";
import { memory } from "./modules/memory.ts";
import { smtp } from "./modules/smtp.ts";
import { system } from "./modules/system.ts";
import { useCases } from "./modules/use-cases.ts";
import { tokens } from "./tokens.ts";

/** What an embedding program brings itself, in the place of the server's own. */
export type Replacements = { readonly verificationMail?: VerificationMail };

const stores = { memory } satisfies Record<Configuration["store"], ContainerModule>;

const given = (mail: VerificationMail) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.verificationMail).toConstantValue(mail);
  });

/** A container with everything of `tokens` bound. Nothing is made, opened or connected before it is asked for. */
export const compose = (configuration: Configuration, { verificationMail }: Replacements = {}): Container => {
  const container = new Container();
  container.bind(tokens.configuration).toConstantValue(configuration);
  container.load(
    system,
    stores[configuration.store],
    verificationMail === undefined ? smtp : given(verificationMail),
    useCases,
    http,
  );
  return container;
};
