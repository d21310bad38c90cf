/** Returns a cost without the digits that summing adds. */
export const rounded = (dollars: number | null): number | null =>
  dollars === null ? null : Number(dollars.toFixed(4))
