import { collected } from '../../model/async.ts'
import { lineText } from '../../text/text.ts'
import { forEachRef } from '../../verbs/for-each-ref.ts'
import { pricesIn } from '../../verbs/settingvalues.ts'
import type { ListedRef } from '../../verbs/types.ts'
import { defineCommand, misuse } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { choice, flag, option, text } from '../parameters.ts'
import { outputOf } from '../present.ts'
import { parseTemplate } from '../template/language.ts'
import { heldBy, REFS } from '../template/refs.ts'

const KEYS = ['name', 'kind', 'session', 'oid'] as const

const { pattern, limit } = forEachRef.input

/** `sess for-each-ref`: lists refs. */
export const command = defineCommand({
  effect: forEachRef.effect,
  arguments: { pattern },
  options: {
    count: limit,
    sort: option(choice(KEYS, 'key'), 'sort by this key'),
    reverse: flag('reverse the order'),
    format: option(text('template'), 'print each by a template: see sess help templates', { short: 'T' }),
    z: flag('end lines with NUL'),
  },
  help: `Each line is the value of a ref, its kind, a tab and its name. The value is an oid, ref:BRANCH (a HEAD on a branch),
root: (a HEAD before the first entry), or - for a value that is no single word (see --json).`,
  examples: [
    ["sess for-each-ref '**/branches/*'", 'the branches of all sessions'],
    ['sess for-each-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14', 'all refs of a session'],
    ["sess for-each-ref '**/labels/*' --format '{oid.short} {short}'", 'labels, by a template'],
  ],
  output: outputOf('A line for each ref.', forEachRef.output),
  run: async (
    call,
    { pattern: patterns, count: most = Number.POSITIVE_INFINITY, sort, reverse, format, z },
    out,
  ) => {
    const line = format === undefined ? usual : shaped(call, format)
    const refs = forEachRef.items(await call.context(), { pattern: patterns })
    let left = most
    for await (const one of sort || reverse ? await sorted(refs, sort ?? 'name', reverse) : refs) {
      if (left-- <= 0) break
      await out.record(line(one), one, z)
    }
  },
})

const usual = (one: ListedRef): string => `${heldBy(one)} ${one.kind}\t${one.name}`

/** Returns a function that formats a ref by a template. Throws `bad-template`. */
function shaped({ io, display, config }: Invocation, template: string): (one: ListedRef) => string {
  if (io.json) throw misuse('for-each-ref', '--json and --format exclude each other')
  const shows = parseTemplate(template, REFS)
  const setting = { ...display, names: new Map<string, string>(), priceOf: pricesIn(config) }
  return (one) => lineText(shows(one, setting)).replace(/\n$/, '')
}

async function sorted(
  refs: AsyncIterable<ListedRef>,
  key: (typeof KEYS)[number],
  reverse: boolean,
): Promise<ListedRef[]> {
  const all = await collected(refs)
  const keyOf = (one: ListedRef): string => one[key] ?? ''
  all.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0))
  return reverse ? all.reverse() : all
}
