export const collected = async <Item>(list: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
};
