import { ok } from "@postern/core";
import type { Language, Service } from "@postern/core/words";
import { preferredLanguage } from "../requests/preferred-language.ts";
import { wantsPage } from "../requests/wants-page.ts";
import { homePage } from "../responses/home-page.ts";
import { jsonResponse } from "../responses/response.ts";
import type { RegisteredRoute } from "./route.ts";

const VARY = "Accept, Accept-Language, Origin";

/**
 * Says what this is, to a browser with a page, and to any other client with JSON.
 *
 * @param language of the page, for browsers that ask for none that there is
 * @param publicDocument whether the API's document is served
 */
export const homeRoute = (
  service: Service,
  language: Language,
  publicDocument: boolean,
): RegisteredRoute => ({
  method: "GET",
  path: "/",
  open: true,
  handler:
    ({ linkBase, pages }) =>
    async ({ headers }) => {
      const document = publicDocument ? `${linkBase}/openapi.json` : null;
      const response = wantsPage(headers.accept)
        ? homePage(service, pages, preferredLanguage(headers["accept-language"], language), document)
        : jsonResponse(200, { service: service.name, ...(document !== null && { openapi: document }) });
      return ok({ ...response, headers: { ...response.headers, vary: VARY } });
    },
});
