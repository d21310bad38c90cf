import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { jsonText } from '../../src/model/json.ts'
import { oidsOf, piContextOf, readText } from '../formats/pi/session.ts'

const corpus = fileURLToPath(new URL('../../../shared/corpus/pi/', import.meta.url))

describe.skipIf(!existsSync(corpus))('real sessions of pi (skipped where ../shared/corpus is absent)', () => {
  it.each([
    ['large-session.jsonl', 914, 'd64605f09cfe4f49'],
    ['before-compaction.jsonl', 446, '74e376e81f7b470a'],
  ])('%s has the context that pi gives it', async (name, count, digest) => {
    const { messages } = await piContextOf(readText(readFileSync(corpus + name, 'utf8')))
    expect(messages).toHaveLength(count)
    expect(createHash('sha256').update(jsonText(messages)).digest('hex').slice(0, 16)).toBe(digest)
  })

  it.each(['large-session.jsonl', 'before-compaction.jsonl'])('%s read in part has the same oids', (name) => {
    const text = readFileSync(corpus + name, 'utf8')
    const whole = oidsOf(readText(text))
    for (const part of [0.1, 0.37, 0.62, 0.99]) {
      const oids = oidsOf(readText(text.slice(0, Math.floor(text.length * part))))
      expect(oids).toEqual(whole.slice(0, oids.length))
    }
  })
})
