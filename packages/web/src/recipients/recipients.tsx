import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";

export const Recipients = () => <View title={words.recipients.title}>{null}</View>;
