import { words } from "../words/words.ts";

export const Loading = () => <p class="quiet loading">{words.common.loading}</p>;
