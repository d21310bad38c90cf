/** Tells whether a block that is packed as small as can be is kept as it is: where most of its items are. */
export const isWorthKeeping = (wanted: number, items: number): boolean => 5 * wanted >= 4 * items
