import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { err, ok, type Result } from "@postern/core";
import { ENV } from "../../configuration/names.ts";
import type { WebSettings } from "../../configuration/web-app.ts";
import { systemCode } from "../../system/system-code.ts";

/** What is sent, and the version of exactly that. */
type Encoded = { readonly body: Buffer; readonly etag: string };

export type WebFile = {
  readonly type: string;
  readonly cacheControl: string;
  readonly plain: Encoded;
  /** Null if it was not compressed when it was built. */
  readonly brotli: Encoded | null;
};

/** The files by their paths, such as `/icon.svg`, and the page for all paths that name no file. */
export type WebFiles = { readonly page: WebFile; readonly byPath: ReadonlyMap<string, WebFile> };

/** The app was not built, or cannot be read. */
export type NoWebApp = { readonly code: "no_web_app"; readonly message: string };

/** @param reason the system's code, such as ENOENT */
const noWebApp = (folder: string, reason: string): NoWebApp => ({
  code: "no_web_app",
  message:
    reason === "ENOENT"
      ? `The browser app is not in ${folder}. In a checkout, build it: npx -y pnpm@12 --filter @postern/web build. A release has it: unpack it again. Or remove ${ENV.webPort}`
      : `The browser app in ${folder} cannot be read (${reason}). Let this user read it, or remove ${ENV.webPort}`,
});

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

const COMPRESSED = ".br";

const encoded = (body: Buffer): Encoded => ({
  body,
  etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
});

const webFile = (path: string, body: Buffer, compressed?: Buffer): WebFile => ({
  type: TYPES[extname(path)] ?? "application/octet-stream",
  // Their names contain a hash of what is in them.
  cacheControl: path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  plain: encoded(body),
  brotli: compressed === undefined ? null : encoded(compressed),
});

/** Every file below a folder, by its path within, such as `/assets/index.js`. */
const contentsOf = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((file) => [`/${relative(folder, file).split(sep).join("/")}`, readFileSync(file)]),
  );

const FOLDER = fileURLToPath(new URL("../../../../web/dist", import.meta.url));

/** Reads the app as it was built, all of it, and adds its settings. */
export const readWebFiles = (settings: WebSettings, folder = FOLDER): Result<WebFiles, NoWebApp> => {
  try {
    const contents = contentsOf(folder);
    const byPath = new Map(
      [...contents]
        .filter(([path]) => !path.endsWith(COMPRESSED))
        .map(([path, body]) => [path, webFile(path, body, contents.get(path + COMPRESSED))]),
    );
    const page = byPath.get("/index.html");
    if (page === undefined) return err(noWebApp(folder, "ENOENT"));
    byPath.set("/settings.json", webFile("/settings.json", Buffer.from(JSON.stringify(settings))));
    return ok({ page, byPath });
  } catch (error) {
    return err(noWebApp(folder, systemCode(error)));
  }
};
