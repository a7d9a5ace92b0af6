import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";

export const BlockedSenders = () => <View title={words.blockedSenders.title}>{null}</View>;
