import { api } from "./api.ts";
import { useRead } from "./read.ts";

/** What the service offers: it changes only when the service is restarted. Undefined until it is known. */
export const useService = () => useRead(["service"], (signal) => api.getService({ signal })).data?.data;
