import type { Page } from "playwright-core";
import { z } from "zod";

type Colour = readonly [red: number, green: number, blue: number];

const Colour = z
  .string()
  .regex(/^rgb\(\d+, \d+, \d+\)$/, "must be an opaque colour")
  .transform((text): Colour => {
    const [red = 0, green = 0, blue = 0] = (text.match(/\d+/g) ?? []).map(Number);
    return [red, green, blue];
  });

export const BLACK: Colour = [0, 0, 0];

const luminance = (colour: Colour): number => {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** From 1 (the same) to 21 (black and white), as WCAG 2.2 defines it. */
export const contrast = (one: Colour, other: Colour): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const Texts = z.array(z.object({ text: z.string(), colour: Colour, behind: Colour }));

/** Every piece of text that the page shows, its colour and the one behind it. */
export const texts = async (page: Page) =>
  Texts.parse(
    await page.evaluate(`
      const painted = (element) => getComputedStyle(element).backgroundColor !== "rgba(0, 0, 0, 0)";
      // What a browser paints where a page paints nothing depends on the scheme.
      const canvas = document.createElement("i");
      canvas.style.color = "Canvas";
      document.body.append(canvas);
      const behind = (element) => {
        if (element === null) return getComputedStyle(canvas).color;
        return painted(element) ? getComputedStyle(element).backgroundColor : behind(element.parentElement);
      };
      [...document.body.querySelectorAll("*")]
        .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
        .map((element) => ({
          text: element.innerText,
          colour: getComputedStyle(element).color,
          behind: behind(element),
        }));
    `),
  );

const Outline = z.object({ style: z.string(), width: z.string(), colour: Colour, around: Colour });

/** The outline of what has the focus, and the colour it is drawn upon. */
export const focusOutline = async (page: Page) =>
  Outline.parse(
    await page.evaluate(`
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(document.activeElement);
      const card = getComputedStyle(document.querySelector("main")).backgroundColor;
      ({ style: outlineStyle, width: outlineWidth, colour: outlineColor, around: card });
    `),
  );

/** By how many pixels the page is wider than the window. */
export const overflow = async (page: Page): Promise<number> =>
  z
    .int()
    .parse(
      await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
    );

/** Makes text twice as large and nothing else, as a reader's own setting does. */
export const doubleText = async (page: Page): Promise<void> => {
  await page.evaluate(`
    const { style } = document.documentElement;
    style.fontSize = 2 * parseFloat(getComputedStyle(document.documentElement).fontSize) + "px";
  `);
};
