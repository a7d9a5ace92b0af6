import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";

export const Account = () => <View title={words.settings.title}>{null}</View>;
