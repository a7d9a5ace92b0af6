import { startOnDemand } from "./start-on-demand.ts";

export default startOnDemand("postgres", new URL("./postgres-main.ts", import.meta.url));
