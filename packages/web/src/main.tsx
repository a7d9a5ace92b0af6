import "./style/style.css";
import "./theme.ts";
import { render } from "preact";
import { App, Fault } from "./app.tsx";
import { readSettings } from "./settings.ts";
import { chooseLanguage } from "./words/words.ts";

const start = async (): Promise<void> => {
  const [settings] = await Promise.all([readSettings(), chooseLanguage(navigator.languages)]);
  render("fault" in settings ? <Fault fault={settings.fault} /> : <App settings={settings} />, document.body);
};

void start();
