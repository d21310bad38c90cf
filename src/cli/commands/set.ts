import { SessError } from '../../model/errors.ts'
import { setPairs, type WereSet } from '../../ops/set.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { several } from '../options.ts'
import { typed } from '../quoted.ts'
import { pairLines } from '../render/pairlines.ts'
import { firstLine } from '../render/text.ts'

interface Options {
  readonly unset?: readonly string[]
}

/** `sess set`: notes keys and values on a session, or shows them. */
export const define: Define = (command, act) => {
  command
    .argument('<session>', 'its id, title, or a prefix of its id')
    .argument('[pair...]', 'KEY=VALUE; KEY= clears a key')
    .option('--unset <key>', 'clear a key; may be repeated', several)
    .addHelpText(
      'after',
      '\nWithout pairs, lists the properties of the session. sess ls --where KEY=VALUE finds sessions by a property.',
    )
    .action(
      act(async (call, session: string, words: string[], { unset = [] }: Options) => {
        const { io } = call
        const pairs = Object.fromEntries([...words.map(pairOf), ...unset.map((key) => [key, ''] as const)])
        const done = await setPairs(await call.repo(), session, pairs)
        if (io.json) await io.data(done)
        else if (words.length + unset.length === 0)
          for (const line of pairLines(done.set)) await io.print(...line)
        else {
          for (const line of changes(done)) await io.print(line)
          const back = Object.entries(done.before).map(([key, value]) => `${key}=${value ?? ''}`)
          if (back.length === 0) await io.note('all of it was set so before')
          else await io.note(`go back with: sess set ${typed(done.session, ...back)}`)
        }
      }),
    )
  examples(command, [
    ['sess set 3b1f status=done', 'mark a session as done'],
    ['sess set 3b1f --unset status', 'unset it'],
    ['sess set 3b1f', 'list its properties'],
  ])
}

function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw new SessError('bad-usage', `'${word}' is not KEY=VALUE`, {
    hint: "type 'sess help set' to see how it is used",
  })
}

const changes = ({ set, before }: WereSet): string[] =>
  Object.entries(before).map(([key, old]) => {
    const was = old === null ? '' : ` (was ${firstLine(old)})`
    return !Object.hasOwn(set, key) ? `Cleared ${key}${was}` : `${key} = ${firstLine(set[key] ?? '')}${was}`
  })
