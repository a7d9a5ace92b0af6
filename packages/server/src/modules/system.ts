import { ContainerModule } from "inversify";
import { pino } from "pino";
import { systemClock } from "../clock.ts";
import { uuids } from "../ids.ts";
import { hmacSecrets } from "../secrets.ts";
import { tokens } from "../tokens.ts";

export const system = new ContainerModule(({ bind }) => {
  bind(tokens.clock).toConstantValue(systemClock);
  bind(tokens.ids).toConstantValue(uuids);
  bind(tokens.secrets)
    .toResolvedValue(({ linkSecrets }) => hmacSecrets(linkSecrets), [tokens.configuration])
    .inSingletonScope();
  bind(tokens.logger)
    .toResolvedValue(({ logLevel }) => pino({ level: logLevel }), [tokens.configuration])
    .inSingletonScope();
});
