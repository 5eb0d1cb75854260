/** What somebody may have meant who wrote something else. */

/** The name that is nearest to another; undefined when more than a third of the letters are other ones in all. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: distance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  return ranked.find(({ name, distance }) => distance * 3 <= Math.max(given.length, name.length))?.name;
}

/** How many letters have to be put in, left out or exchanged. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 0; i < one.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      const exchanged = (row[j] as number) + (one[i] === other[j] ? 0 : 1);
      next.push(Math.min(exchanged, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
