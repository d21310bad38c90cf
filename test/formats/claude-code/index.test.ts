import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { claude } from '../../../src/formats/claude-code/index.ts'

it('reads the bytes of a session to its end', () => {
  const bytes = readFileSync(new URL('../../fixtures/claude/session.jsonl', import.meta.url))
  const splitter = claude.splitter()
  const units = [...splitter.push(bytes), ...splitter.end().units]
  const reader = claude.reader('5e550001-0000-4000-8000-000000000001.jsonl')
  const entries = units.flatMap((unit) => reader.read(unit).entry ?? [])
  expect(entries).toHaveLength(18)
  const shown = entries.filter(
    ({ type, body }) => claude.view(type.replace('claude/', ''), body).blocks.length > 0,
  )
  expect(shown).toHaveLength(17)
  expect(reader.active()).toBe(20)
})

it('has a name, a dialect and a reading that stand in stores', () => {
  const { name, dialect, reading, conversational } = claude
  expect({ name, dialect, reading, conversational }).toEqual({
    name: 'claude-code',
    dialect: 'claude',
    reading: 4,
    conversational: true,
  })
})
