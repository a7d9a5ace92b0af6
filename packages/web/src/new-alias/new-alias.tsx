import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";

export const NewAlias = () => <View title={words.newAlias.title}>{null}</View>;
