import { type Diff, diff as diffOf } from '../ops/diff.ts'
import { optional, required } from './input.ts'
import { arrayOf, boolean, described, nullable, object } from './schema.ts'
import { revision } from './values.ts'
import { sentAs, verb } from './verb.ts'
import { entryData, entrySchema, oidSchema } from './wire.ts'

/** The revisions that are compared. */
export const SIDES = {
  a: required(revision(), 'a session or an entry, or a range: A..B, A...B'),
  b: optional(revision(), 'another'),
}

export const diff = verb({
  name: 'diff',
  summary: 'show where two branches diverge and what each side added',
  effect: 'read',
  input: SIDES,
  output: sentAs(
    object({
      base: nullable(oidSchema),
      left: arrayOf(entrySchema),
      right: arrayOf(entrySchema),
      pairs: described(
        'both sides in order, entries that correspond together',
        arrayOf(object({ left: nullable(oidSchema), right: nullable(oidSchema), same: boolean })),
      ),
    }),
    ({ base, left, right, pairs }: Diff) => ({
      base,
      left: left.map(entryData),
      right: right.map(entryData),
      pairs: pairs.map((pair) => ({
        left: pair.left?.oid ?? null,
        right: pair.right?.oid ?? null,
        same: pair.same,
      })),
    }),
  ),
  run: ({ repo }, { a, b }) => diffOf(repo, a, b),
})
