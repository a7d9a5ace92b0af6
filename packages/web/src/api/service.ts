import { api } from "./api.ts";
import { useRead } from "./read.ts";

/** What the service offers: it changes only when the service is restarted. */
export const useServiceRead = () => useRead(["service"], (signal) => api.getService({ signal }));

/** What the service offers. Undefined until it is known. */
export const useService = () => useServiceRead().data?.data;
