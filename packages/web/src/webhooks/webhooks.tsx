import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";

export const Webhooks = () => <View title={words.webhooks.title}>{null}</View>;
