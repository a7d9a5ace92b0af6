import { serve } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { secureHeaders } from "hono/secure-headers";
import { rateLimiter } from "hono-rate-limiter";
import { announce } from "../support/announce.ts";
import { readSetup } from "../support/setup.ts";
import { ReplaceBody, STATUS } from "./shared/bodies.ts";
import { memoryStore } from "./shared/memory-store.ts";
import { tokenVerifier } from "./shared/verify-token.ts";

/* What one would write with Hono, its secure headers and body limit, hono-rate-limiter, jose and zod. */

const { issuer, audience, perMinute, fixture } = readSetup();
const store = memoryStore(fixture);
const verify = tokenVerifier(issuer, audience);

const app = new Hono<{ Variables: { account: string } }>();
app.use(secureHeaders());
app.use(async (context, next) => {
  const account = await verify(context.req.header("authorization"));
  if (account === null) return context.json({ message: "Unauthorized" }, 401);
  context.set("account", account);
  await next();
  return undefined;
});
if (perMinute > 0) {
  app.use(
    rateLimiter<{ Variables: { account: string } }>({
      windowMs: 60_000,
      limit: perMinute,
      standardHeaders: "draft-7",
      keyGenerator: (context) => context.get("account"),
    }),
  );
}

app.put(
  "/aliases/:alias/recipients",
  bodyLimit({ maxSize: 64 * 1024 }),
  async (context, next) => {
    if (context.req.header("content-type") === "application/json") return next();
    return context.json({ failure: "media_type" }, 415);
  },
  zValidator("json", ReplaceBody),
  (context) => {
    const { recipient_ids } = context.req.valid("json");
    const replaced = store.replace(context.get("account"), context.req.param("alias"), recipient_ids);
    if ("failure" in replaced) return context.json(replaced, STATUS[replaced.failure]);
    return context.json(replaced.json, 200, { etag: `"${replaced.version}"` });
  },
);

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
  announce(`http://127.0.0.1:${port}`),
);
