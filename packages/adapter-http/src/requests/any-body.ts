import { errorCodes, type FastifyInstance } from "fastify";
import { POSTERN } from "../request-state.ts";

const { FST_ERR_CTP_INVALID_MEDIA_TYPE } = errorCodes;

const parseAny = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

/**
 * Also accepts bodies of any other type, or of none, on routes that allow it: as JSON if that is what they are, and as no body otherwise.
 */
export const parseAnyBodies = (instance: FastifyInstance): void => {
  instance.addContentTypeParser("*", { parseAs: "buffer" }, (request, body: Buffer, done) =>
    request.routeOptions.config[POSTERN]?.anyBody === true
      ? done(null, parseAny(body))
      : done(new FST_ERR_CTP_INVALID_MEDIA_TYPE()),
  );
};
