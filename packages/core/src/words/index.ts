export { DEFAULT_LANGUAGE, LANGUAGES, type Language, parseLanguage } from "./language.ts";
export { DEFAULT_SERVICE, parseService, parseServiceName, parseServiceUrl, type Service } from "./service.ts";
export type { Words } from "./words.ts";
export { wordsIn } from "./words-in.ts";
