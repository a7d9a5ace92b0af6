import "reflect-metadata";
import {
  Body,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  Module,
  Param,
  type PipeTransform,
  Put,
  Res,
  UnauthorizedException,
} from "@nestjs/common";
import { APP_GUARD, NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { ThrottlerGuard, ThrottlerModule } from "@nestjs/throttler";
import helmet from "helmet";
import type * as z from "zod";
import { announce } from "../support/announce.ts";
import { readSetup } from "../support/setup.ts";
import { ReplaceBody, STATUS } from "./shared/bodies.ts";
import { memoryStore } from "./shared/memory-store.ts";
import { tokenVerifier } from "./shared/verify-token.ts";

/*
 * What one would write with NestJS on Fastify, helmet, @nestjs/throttler, jose and a zod pipe. Node runs TypeScript without
 * decorators, so they are called as functions, as a compiler would do.
 */

const { issuer, audience, perMinute, fixture } = readSetup();
const store = memoryStore(fixture);
const verify = tokenVerifier(issuer, audience);

type Authenticated = { readonly headers: { readonly authorization?: string }; account?: string };
type Reply = { header(name: string, value: string): void };

class TokenGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Authenticated>();
    const account = await verify(request.headers.authorization);
    if (account === null) throw new UnauthorizedException();
    request.account = account;
    return true;
  }
}
Injectable()(TokenGuard);

class AccountThrottlerGuard extends ThrottlerGuard {
  protected override async getTracker(request: Authenticated): Promise<string> {
    return request.account ?? "";
  }
}
Injectable()(AccountThrottlerGuard);

class ZodPipe implements PipeTransform {
  readonly #schema: z.ZodType;
  constructor(schema: z.ZodType) {
    this.#schema = schema;
  }
  transform(value: unknown): unknown {
    const parsed = this.#schema.safeParse(value);
    if (!parsed.success) throw new HttpException({ failure: "invalid", issues: parsed.error.issues }, 400);
    return parsed.data;
  }
}

class AliasService {
  replace(account: string, alias: string, ids: readonly string[]) {
    const replaced = store.replace(account, alias, ids);
    if ("failure" in replaced) throw new HttpException(replaced, STATUS[replaced.failure]);
    return replaced;
  }
}
Injectable()(AliasService);

const Account = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<Authenticated>().account ?? "",
);

class AliasController {
  readonly #aliases: AliasService;
  constructor(aliases: AliasService) {
    this.#aliases = aliases;
  }
  replace(account: string, alias: string, body: z.output<typeof ReplaceBody>, reply: Reply) {
    const { json, version } = this.#aliases.replace(account, alias, body.recipient_ids);
    reply.header("etag", `"${version}"`);
    return json;
  }
}
Controller("aliases")(AliasController);
Inject(AliasService)(AliasController, undefined, 0);
const replace = Object.getOwnPropertyDescriptor(AliasController.prototype, "replace");
if (replace !== undefined) Put(":alias/recipients")(AliasController.prototype, "replace", replace);
Account()(AliasController.prototype, "replace", 0);
Param("alias")(AliasController.prototype, "replace", 1);
Body(new ZodPipe(ReplaceBody))(AliasController.prototype, "replace", 2);
Res({ passthrough: true })(AliasController.prototype, "replace", 3);

class AppModule {}
Module({
  imports: perMinute > 0 ? [ThrottlerModule.forRoot([{ ttl: 60_000, limit: perMinute }])] : [],
  controllers: [AliasController],
  providers: [
    AliasService,
    { provide: APP_GUARD, useClass: TokenGuard },
    ...(perMinute > 0 ? [{ provide: APP_GUARD, useClass: AccountThrottlerGuard }] : []),
  ],
})(AppModule);

const app = await NestFactory.create<NestFastifyApplication>(
  AppModule,
  new FastifyAdapter({ bodyLimit: 64 * 1024 }),
  { logger: ["error"] },
);
const setHeaders = helmet();
const fastify = app.getHttpAdapter().getInstance();
fastify.removeContentTypeParser("text/plain");
fastify.addHook("onRequest", (request, reply, done) => setHeaders(request.raw, reply.raw, () => done()));
await app.listen(0, "127.0.0.1");
announce(await app.getUrl());
