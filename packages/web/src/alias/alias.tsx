import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";

export const Alias = () => <View title={words.alias.title}>{null}</View>;
