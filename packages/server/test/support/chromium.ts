import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newDirectory } from "@postern/test-support/new-directory";
import { inflate } from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/** What the npm package contains: the browser for Linux on x64, its system libraries, and a font. */
const ARCHIVES = ["chromium.br", "al2023.tar.br", "fonts.tar.br"].map((name) =>
  fileURLToPath(new URL(`../bin/${name}`, import.meta.resolve("@sparticuz/chromium"))),
);

const unpack = async (directory: string): Promise<void> => {
  const before = process.env["TMPDIR"];
  // `inflate` reads its target directory from here.
  process.env["TMPDIR"] = directory;
  try {
    await Promise.all(ARCHIVES.map(inflate));
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
};

/** Only the packaged font, so that pages look the same on every machine. */
const fontsIn = (directory: string): string =>
  `<fontconfig><dir>${directory}/fonts</dir><cachedir>${directory}/font-cache</cachedir></fontconfig>`;

/**
 * Launches headless Chromium. On Linux x64 it is the one from npm, with its own libraries and font, so nothing has to be
 * installed. Elsewhere it is the machine's Google Chrome; if there is none, the error says how to install it.
 *
 * Playwright turns off everything that would contact other servers: updates, sync, first-run pages, background requests.
 */
export const launchChromium = async (): Promise<Browser> => {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return chromium.launch({ channel: "chrome" });
  }

  // Programs in a file system in memory may not be allowed to run.
  const directory = newDirectory(tmpdir());
  await unpack(directory);
  await writeFile(join(directory, "fonts.conf"), fontsIn(directory));
  return chromium.launch({
    executablePath: join(directory, "chromium"),
    args: ["--disable-gpu"],
    env: {
      HOME: directory,
      LD_LIBRARY_PATH: join(directory, "al2023", "lib"),
      FONTCONFIG_FILE: join(directory, "fonts.conf"),
    },
  });
};
