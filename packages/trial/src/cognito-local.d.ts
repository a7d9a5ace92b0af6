/*
 * The parts of cognito-local that the trial uses. The package's own declarations need those of the whole AWS SDK, which
 * the trial does not load.
 */

declare module "cognito-local/lib/services/clock.js" {
  export class DateClock {
    get(): Date;
  }
}

declare module "cognito-local/lib/services/dataStore/stormDb.js" {
  /** Stores each database as a JSON file in the directory. */
  export class StormDBDataStoreFactory {
    constructor(directory: string);
  }
}

declare module "cognito-local/lib/services/userPoolService.js" {
  import type { DateClock } from "cognito-local/lib/services/clock.js";
  import type { StormDBDataStoreFactory } from "cognito-local/lib/services/dataStore/stormDb.js";
  import type { Logger } from "pino";

  type Context = { readonly logger: Logger };

  export class UserPoolServiceFactoryImpl {
    constructor(clock: DateClock, stores: StormDBDataStoreFactory);
  }

  export type UserPoolService = {
    saveAppClient(
      context: Context,
      client: {
        readonly UserPoolId: string;
        readonly ClientId: string;
        readonly ClientName: string;
        readonly ExplicitAuthFlows: readonly string[];
        readonly CreationDate: Date;
        readonly LastModifiedDate: Date;
      },
    ): Promise<void>;

    saveUser(
      context: Context,
      user: {
        readonly Username: string;
        readonly Password: string;
        readonly Attributes: readonly { readonly Name: string; readonly Value: string }[];
        readonly Enabled: boolean;
        readonly UserStatus: "CONFIRMED";
        readonly RefreshTokens: string[];
        readonly UserCreateDate: Date;
        readonly UserLastModifiedDate: Date;
      },
    ): Promise<void>;
  };
}

declare module "cognito-local/lib/services/cognitoService.js" {
  import type { StormDBDataStoreFactory } from "cognito-local/lib/services/dataStore/stormDb.js";
  import type {
    Context,
    UserPoolService,
    UserPoolServiceFactoryImpl,
  } from "cognito-local/lib/services/userPoolService.js";

  export type CognitoService = {
    createUserPool(context: Context, pool: { readonly Id: string }): Promise<unknown>;
    getUserPool(context: Context, id: string): Promise<UserPoolService>;
  };

  export class CognitoServiceFactoryImpl {
    constructor(directory: string, stores: StormDBDataStoreFactory, pools: UserPoolServiceFactoryImpl);
    create(
      context: Context,
      poolDefaults: { readonly UsernameAttributes: readonly string[] },
    ): Promise<CognitoService>;
  }
}

declare module "cognito-local/lib/services/tokenGenerator.js" {
  import type { DateClock } from "cognito-local/lib/services/clock.js";

  /** Lambda functions that a pool may call. */
  export type Triggers = { enabled(trigger: string): boolean };

  export class JwtTokenGenerator {
    /** The issuer of the tokens is `${IssuerDomain}/${pool id}`. */
    constructor(clock: DateClock, triggers: Triggers, config: { readonly IssuerDomain: string });
  }
}

declare module "cognito-local/lib/server/Router.js" {
  import type { DateClock } from "cognito-local/lib/services/clock.js";
  import type { CognitoService } from "cognito-local/lib/services/cognitoService.js";
  import type { JwtTokenGenerator, Triggers } from "cognito-local/lib/services/tokenGenerator.js";

  export type Services = {
    readonly clock: DateClock;
    readonly cognito: CognitoService;
    readonly triggers: Triggers;
    readonly tokenGenerator: JwtTokenGenerator;
    readonly config: object;
    readonly messages: { deliver(): Promise<void> };
    readonly otp: () => string;
  };

  export type Router = (target: string) => unknown;
  export const Router: (services: Services) => Router;
}

declare module "cognito-local/lib/server/server.js" {
  import type { RequestListener } from "node:http";
  import type { Router, Services } from "cognito-local/lib/server/Router.js";
  import type { Logger } from "pino";

  export const createServer: (
    router: Router,
    logger: Logger,
    options: object,
    services: Services,
  ) => { readonly application: RequestListener };
}
