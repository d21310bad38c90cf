/** Whether the tests run with volume: `npm run test:all` sets this, and `npm test` tries each behaviour once. */
export const ALL = process.env.SESS_TEST_ALL === '1'

/** Returns how often something random is tried: so often with volume, else an eighth of that. */
export const runs = (many: number): number => (ALL ? many : Math.max(2, Math.ceil(many / 8)))

/** Returns all items with volume, else some of them, spread evenly. */
export function sampled<T>(items: readonly T[], few: number): readonly T[] {
  if (ALL || items.length <= few) return items
  return Array.from({ length: few }, (_, i) => items[Math.floor((i * items.length) / few)] as T)
}
