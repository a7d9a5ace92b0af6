// inversify counts its modules through it.
import "reflect-metadata";
import type { VerificationMail } from "@postern/core";
import { Container, ContainerModule } from "inversify";
import { err, ok, type Result } from "neverthrow";
import type { Configuration } from "../configuration/configuration.ts";
import type { CannotOpenStore } from "../stores/open-store.ts";
import { stores } from "../stores/stores.ts";
import { http } from "./http.ts";
import { observation } from "./observability.ts";
import { smtp } from "./smtp.ts";
import { system } from "./system.ts";
import { tokens } from "./tokens.ts";
import { useCases } from "./use-cases.ts";

/** What an embedding program brings itself, in the place of the server's own. */
export type Replacements = { readonly verificationMail?: VerificationMail };

const given = (mail: VerificationMail) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.verificationMail).toConstantValue(mail);
  });

/**
 * A container with everything of `tokens` bound and the store open. Nothing else is made or connected before it is asked
 * for. `unbindAllAsync` lets go of everything.
 */
export const compose = async (
  configuration: Configuration,
  { verificationMail }: Replacements = {},
): Promise<Result<Container, CannotOpenStore>> => {
  const container = new Container();
  container.bind(tokens.configuration).toConstantValue(configuration);
  container.load(
    system,
    verificationMail === undefined ? smtp : given(verificationMail),
    observation,
    useCases,
    http,
  );
  const open = stores[configuration.store];
  const opened = await open(configuration, container.get(tokens.clock), container.get(tokens.logger));
  if (opened.isErr()) return err(opened.error);
  container
    .bind(tokens.openedStore)
    .toConstantValue(opened.value)
    .onDeactivation((store) => store.close());
  // The container lets go only of what was asked for once.
  container.get(tokens.openedStore);
  return ok(container);
};
