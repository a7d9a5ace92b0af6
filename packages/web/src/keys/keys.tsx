import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";

export const Keys = () => <View title={words.keys.title}>{null}</View>;
