import type { AddressInfo } from "node:net";
import express, { type NextFunction, type Request, type Response } from "express";
import { rateLimit } from "express-rate-limit";
import helmet from "helmet";
import { announce } from "../support/announce.ts";
import { readSetup } from "../support/setup.ts";
import { ReplaceBody, STATUS } from "./shared/bodies.ts";
import { memoryStore } from "./shared/memory-store.ts";
import { tokenVerifier } from "./shared/verify-token.ts";

/* What one would write with Express 5, helmet, express-rate-limit, jose and zod. */

const { issuer, audience, perMinute, fixture } = readSetup();
const store = memoryStore(fixture);
const verify = tokenVerifier(issuer, audience);

const app = express();
app.use(helmet());
app.use(async (request: Request, response: Response, next: NextFunction) => {
  const account = await verify(request.headers.authorization);
  if (account === null) {
    response.status(401).json({ message: "Unauthorized" });
    return;
  }
  response.locals["account"] = account;
  next();
});
if (perMinute > 0) {
  app.use(
    rateLimit({
      windowMs: 60_000,
      limit: perMinute,
      standardHeaders: "draft-8",
      legacyHeaders: false,
      keyGenerator: (_request, response) => String(response.locals["account"]),
    }),
  );
}
app.use(express.json({ limit: "64kb" }));

app.put("/aliases/:alias/recipients", (request, response) => {
  if (request.is("application/json") === false) {
    response.status(415).json({ failure: "media_type" });
    return;
  }
  const body = ReplaceBody.safeParse(request.body);
  if (!body.success) {
    response.status(400).json({ failure: "invalid", issues: body.error.issues });
    return;
  }
  const replaced = store.replace(
    String(response.locals["account"]),
    request.params.alias,
    body.data.recipient_ids,
  );
  if ("failure" in replaced) response.status(STATUS[replaced.failure]).json(replaced);
  else response.set("etag", `"${replaced.version}"`).json(replaced.json);
});

const server = app.listen(0, "127.0.0.1", () =>
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
