import "./style/style.css";
import "./theme.ts";
import { render } from "preact";
import { readSettings } from "./settings.ts";
import { chooseLanguage } from "./words/words.ts";

const start = async (): Promise<void> => {
  const [settings] = await Promise.all([readSettings(), chooseLanguage(navigator.languages)]);
  // Not before: everything in it speaks.
  const { App, Fault } = await import("./app.tsx");
  render("fault" in settings ? <Fault fault={settings.fault} /> : <App settings={settings} />, document.body);
};

void start();
