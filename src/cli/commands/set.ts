import { type Pairs, setPairs, type WereSet } from '../../ops/setkeys.ts'
import { aligned, did, firstLine, type Line, styled } from '../../text/text.ts'
import { mapOf, nullable, object, string } from '../../verbs/schema.ts'
import { defineCommand, misuse, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { pair, pairKey, repeated, required, session, several } from '../parameters.ts'
import { typed } from '../shellwords.ts'

/** `sess set`: sets properties of a session, or shows them. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    session: required(session(), 'its id, title, or a prefix of its id'),
    pair: several(pair(), 'KEY=VALUE; KEY= clears a key'),
  },
  options: { unset: repeated(pairKey(), 'clear a key; may be repeated') },
  help: 'Without pairs, lists the properties of the session. sess ls --where KEY=VALUE finds sessions by a property.',
  examples: [
    ['sess set 3b1f status=done', 'mark a session as done'],
    ['sess set 3b1f --unset status', 'unset it'],
    ['sess set 3b1f', 'list its properties'],
  ],
  output: output(
    'One object, with all properties that are set now.',
    object({ session: string, set: mapOf(string), before: mapOf(nullable(string)) }),
  ),
  run: async (call, { session: name, pair: words, unset }) => {
    const pairs = Object.fromEntries([...words.map(pairOf), ...unset.map((key) => [key, ''] as const)])
    const done = await setPairs(await call.repo(), name, pairs)
    if (words.length + unset.length === 0) return { data: done, render: () => pairLines(done.set) }
    const back = Object.entries(done.before).map(([key, value]) => `${key}=${value ?? ''}`)
    return {
      data: done,
      render: () => changeLines(call, done),
      notes: back.length === 0 ? ['all of it was set before'] : [],
      back: back.length === 0 ? undefined : `sess set ${typed(done.session, ...back)}`,
    }
  },
})

function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw misuse('set', `'${word}' is not KEY=VALUE`)
}

const changeLines = (call: Invocation, { set, before }: WereSet): Line[] =>
  Object.entries(before).map(([key, old]) => {
    const was = old === null ? '' : ` (was ${firstLine(old)})`
    return [
      Object.hasOwn(set, key)
        ? `${did(call, 'Set')} ${key} = ${firstLine(set[key] ?? '')}${was}`
        : `${did(call, 'Cleared')} ${key}${was}`,
    ]
  })

const pairLines = (set: Pairs): Line[] =>
  aligned(Object.entries(set).map(([key, value]) => [styled('dim', key), firstLine(value)]))
