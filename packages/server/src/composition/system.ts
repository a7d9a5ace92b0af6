import { ContainerModule } from "inversify";
import { uuids } from "../system/ids.ts";
import { hmacSecrets } from "../system/secrets.ts";
import { tokens } from "./tokens.ts";

export const system = new ContainerModule(({ bind }) => {
  bind(tokens.ids).toConstantValue(uuids);
  bind(tokens.secrets)
    .toResolvedValue(({ linkSecrets }) => hmacSecrets(linkSecrets), [tokens.configuration])
    .inSingletonScope();
});
