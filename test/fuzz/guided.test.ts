import { describe, expect, it } from 'vitest'
import { encode } from '../../src/model/encoding/canonical.ts'
import { parseJson } from '../../src/model/value.ts'
import { Coverage } from '../support/coverage.ts'
import { TARGETS, type Target } from '../support/fuzztargets.ts'
import { mutate } from '../support/mutate.ts'
import { Random } from '../support/random.ts'
import { samples } from '../support/sources.ts'
import { STORED } from '../support/storedtargets.ts'

/** Seconds for each target; without, one round that is the same each time and looks at nothing that was reached. */
const SECONDS = Number(process.env.SESS_FUZZ ?? 0)
/** So many inputs are tried between two looks at what they reached. */
const BATCH = 25
const MOST_SEEDS = 200

const QUERIES = [
  'role(user) & ~3::main',
  "author('x') | descendants(@)",
  'tool:bash is:failed re:a.*b',
  'a..b',
  '"x y" OR -z',
]

/** Returns what to begin with: what a target is made for. */
function seedsOf({ name }: Target): readonly Buffer[] {
  const stored = STORED.find((one) => one.name === name)
  if (stored) return stored.seeds()
  if (name === 'revset' || name === 'query') return QUERIES.map((text) => Buffer.from(text))
  const texts = samples().map(({ bytes }) => Buffer.from(bytes))
  if (name !== 'cbor') return texts
  return texts.flatMap((text) =>
    text
      .toString('utf8')
      .split('\n', 2)
      .flatMap((line) => {
        const parsed = parseJson(line)
        return parsed ? [Buffer.from(encode(parsed.value))] : []
      }),
  )
}

async function wrongWith({ take }: Target, bytes: Uint8Array): Promise<string | undefined> {
  try {
    await take(bytes)
    return undefined
  } catch (error) {
    return `${String(error)} on ${JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 2000))}`
  }
}

describe('what takes bytes from elsewhere', () => {
  it.each([...TARGETS, ...STORED])(
    'holds against what reaches more and more of it: $name',
    async (target) => {
      const coverage = new Coverage()
      if (SECONDS > 0) await coverage.begin()
      const random = new Random(SECONDS > 0 ? Date.now() : 7)
      const seeds = seedsOf(target)
      const pool =
        seeds.length > MOST_SEEDS ? Array.from({ length: MOST_SEEDS }, () => random.pick(seeds)) : [...seeds]
      const end = Date.now() + 1000 * SECONDS
      for (let round = 0; round < 1 || Date.now() < end; round++) {
        const tried = Array.from({ length: BATCH }, () =>
          Buffer.from(mutate(random.pick(pool), random).bytes),
        )
        for (const bytes of tried) expect(await wrongWith(target, bytes)).toBe(undefined)
        if (SECONDS === 0 || (await coverage.fresh()) === 0) continue
        // Some of them reached something new: those go on.
        for (const bytes of tried) {
          await wrongWith(target, bytes)
          if ((await coverage.fresh()) > 0 || random.once(8)) pool.push(bytes)
        }
      }
      if (SECONDS > 0) coverage.end()
    },
    60_000 + 2000 * SECONDS,
  )
})
