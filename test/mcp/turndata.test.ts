import { expect, it } from 'vitest'
import { settleQuotes } from '../../src/mcp/quoted.ts'
import { turnData } from '../../src/mcp/turndata.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { VerbContext } from '../../src/verbs/open.ts'
import type { Turn, TurnPart } from '../../src/verbs/types.ts'

const oid = 'ab'.repeat(32) as Oid

const turnOf = (...parts: readonly TurnPart[]): Turn => ({
  ...{ session: 's', oid, who: 'assistant', continues: false, time: null, model: null },
  parts,
})

const says = (text: string): TurnPart => ({ kind: 'text', oid, text })
const runs = (size: number): TurnPart => ({
  ...{ kind: 'tool', oid, name: 'Bash', input: { command: 'x'.repeat(size) }, agents: [] },
  result: { oid, error: false, text: 'y'.repeat(size), lines: 1 },
})

/** Returns a turn as it is sent, with secrets as they are: nothing of the context is used. */
async function sent(
  turn: Turn,
  room: number,
): Promise<{ readonly parts: readonly { readonly text?: string }[] }> {
  const data = turnData(turn, room)
  await settleQuotes({} as VerbContext, data, true)
  return JSON.parse(JSON.stringify(data)) as Awaited<ReturnType<typeof sent>>
}

it('gives the room that short texts leave to long ones', async () => {
  const { parts } = await sent(turnOf(says('short'), says('l'.repeat(5000)), says('m'.repeat(900))), 3000)
  expect(parts.map(({ text = '' }) => text.length)).toEqual([5, 1826, 900])
})

it.each([200, 1000, 5000, 20_000])('has about %i units however many parts there are', async (room) => {
  for (const part of [says('t'.repeat(10_000)), says('t'), runs(10_000), runs(1)]) {
    const data = await sent(turnOf(...Array.from({ length: 500 }, () => part)), room)
    expect(JSON.stringify(data).length).toBeLessThan(2 * room + 600)
  }
})

it('keeps the last parts, and counts the others', async () => {
  const data = await sent(turnOf(...Array.from({ length: 100 }, (_, i) => says(`${i}`))), 1000)
  expect(data.parts.at(-1)?.text).toBe('99')
  expect(data).toMatchObject({ dropped: 100 - data.parts.length })
})

it('leaves out thoughts and what the agent says in the name of the user', async () => {
  const data = await sent(
    turnOf({ kind: 'thinking', oid, text: 'hm' }, { kind: 'aside', oid, text: 'hook' }),
    1000,
  )
  expect(data.parts).toEqual([])
})
