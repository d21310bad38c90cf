import { typed } from '../../text/shellwords.ts'
import { aligned, did, firstLine, type Line, styled } from '../../text/text.ts'
import { set } from '../../verbs/set.ts'
import type { Pairs, WereSet } from '../../verbs/types.ts'
import { defineCommand, misuse } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { pair, several } from '../parameters.ts'
import { answerOf, outputOf } from '../present.ts'

const { session, unset } = set.input

/** `sess set`: sets properties of a session, or shows them. */
export const command = defineCommand({
  effect: set.effect,
  arguments: { session, pair: several(pair(), set.input.pair.about) },
  options: { unset },
  help: 'Without pairs, lists the properties of the session. sess ls --where KEY=VALUE finds sessions by a property.',
  examples: [
    ['sess set 3b1f status=done', 'mark a session as done'],
    ['sess set 3b1f --unset status', 'unset it'],
    ['sess set 3b1f', 'list its properties'],
  ],
  output: outputOf('One object, with all properties that are set now.', set.output),
  run: async (call, { session: name, pair: words, unset: gone }) => {
    const input = { session: name, pair: words.map(pairOf), unset: gone }
    const done = await set.run(await call.context(), input)
    if (words.length + gone.length === 0) return answerOf(set, done, { render: () => pairLines(done.set) })
    const back = Object.entries(done.before).map(([key, value]) => `${key}=${value ?? ''}`)
    return answerOf(set, done, {
      render: () => changeLines(call, done),
      notes: back.length === 0 ? ['all of it was set before'] : [],
      back: back.length === 0 ? undefined : `sess set ${typed(done.session, ...back)}`,
    })
  },
})

function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw misuse('set', `'${word}' is not KEY=VALUE`)
}

const changeLines = (call: Invocation, { set: now, before }: WereSet): Line[] =>
  Object.entries(before).map(([key, old]) => {
    const was = old === null ? '' : ` (was ${firstLine(old)})`
    return [
      Object.hasOwn(now, key)
        ? `${did(call, 'Set')} ${key} = ${firstLine(now[key] ?? '')}${was}`
        : `${did(call, 'Cleared')} ${key}${was}`,
    ]
  })

const pairLines = (pairs: Pairs): Line[] =>
  aligned(Object.entries(pairs).map(([key, value]) => [styled('dim', key), firstLine(value)]))
