import type { Page } from "playwright-core";
import * as z from "zod";

type Color = readonly [red: number, green: number, blue: number];

const Color = z
  .string()
  .regex(/^rgb\(\d+, \d+, \d+\)$/, "must be an opaque color")
  .transform((text): Color => {
    const [red = 0, green = 0, blue = 0] = (text.match(/\d+/g) ?? []).map(Number);
    return [red, green, blue];
  });

export const BLACK: Color = [0, 0, 0];

const luminance = (color: Color): number => {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** The contrast ratio of WCAG 2.2, from 1 (the same color) to 21 (black and white). */
export const contrast = (one: Color, other: Color): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const Texts = z.array(z.object({ text: z.string(), color: Color, behind: Color }));

/** Every text on the page, with its color and the color behind it. */
export const texts = async (page: Page) =>
  Texts.parse(
    await page.evaluate(`
      const painted = (element) => getComputedStyle(element).backgroundColor !== "rgba(0, 0, 0, 0)";
      // The background of an unstyled page depends on the color scheme.
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
          color: getComputedStyle(element).color,
          behind: behind(element),
        }));
    `),
  );

const Outline = z.object({ style: z.string(), width: z.string(), color: Color, around: Color });

/** The outline of the focused element, and the color around it. */
export const focusOutline = async (page: Page) =>
  Outline.parse(
    await page.evaluate(`
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(document.activeElement);
      const card = getComputedStyle(document.querySelector("main")).backgroundColor;
      ({ style: outlineStyle, width: outlineWidth, color: outlineColor, around: card });
    `),
  );

/** How many pixels the page is wider than the window. */
export const overflow = async (page: Page): Promise<number> =>
  z
    .int()
    .parse(
      await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
    );

/** Doubles the size of text only, as a setting of the browser does. */
export const doubleText = async (page: Page): Promise<void> => {
  await page.evaluate(`
    const { style } = document.documentElement;
    style.fontSize = 2 * parseFloat(getComputedStyle(document.documentElement).fontSize) + "px";
  `);
};
