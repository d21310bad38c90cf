import { Option } from 'commander'
import { SessError } from '../../model/errors.ts'
import { type ListedRef, listRefs } from '../../ops/refs.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { count as whole } from '../options.ts'
import { textOfPiece } from '../style.ts'
import { heldBy, REFS } from '../template/ref.ts'
import { parseTemplate } from '../template/template.ts'

const KEYS = ['name', 'kind', 'session', 'oid'] as const

interface Options {
  readonly count?: number
  readonly sort?: (typeof KEYS)[number]
  readonly reverse?: boolean
  readonly format?: string
  readonly z?: boolean
}

/** `sess for-each-ref`: lists refs. */
export const define: Define = (command, act) => {
  command
    .argument('[pattern...]', 'a name, a prefix ending at a /, or a glob with * ** and ?')
    .option('--count <n>', 'print at most N', whole)
    .addOption(new Option('--sort <key>', 'sort by this key').choices(KEYS))
    .option('--reverse', 'reverse the order')
    .option('-T, --format <template>', 'print each by a template: see sess help templates')
    .option('-z', 'end lines with NUL')
    .addHelpText(
      'after',
      `
Each line is the value of a ref, its kind, a tab and its name. The value is an oid, ref:BRANCH (a HEAD on a branch),
root: (a HEAD before the first entry), or - for a value that is no single word (see --json).`,
    )
    .action(
      act(async (call, patterns: string[], { count, sort, reverse = false, format, z }: Options) => {
        const line = format === undefined ? usual : shaped(call, format)
        const refs = listRefs(await call.repo(), patterns)
        let left = count ?? Number.POSITIVE_INFINITY
        for await (const ref of sort || reverse ? await sorted(refs, sort ?? 'name', reverse) : refs) {
          if (left-- <= 0) break
          await call.io.record(line(ref), ref, z)
        }
      }),
    )
  examples(command, [
    ["sess for-each-ref '**/branches/*'", 'the branches of all sessions'],
    ['sess for-each-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14', 'all refs of a session'],
    ["sess for-each-ref '**/labels/*' --format '{oid.short} {short}'", 'labels, by a template'],
  ])
}

const usual = (ref: ListedRef): string => `${heldBy(ref)} ${ref.kind}\t${ref.name}`

/** Returns a function that formats a ref by a template. Throws `bad-template`. */
function shaped({ io, world }: Call, template: string): (ref: ListedRef) => string {
  if (io.json)
    throw new SessError('bad-usage', '--json says already how refs are shown', {
      hint: "type 'sess help for-each-ref' to see how it is used",
    })
  const shows = parseTemplate(template, REFS)
  const setting = { now: world.env.now(), zone: world.zone, names: new Map<string, string>() }
  return (ref) => shows(ref, setting).map(textOfPiece).join('').replace(/\n$/, '')
}

async function sorted(
  refs: AsyncIterable<ListedRef>,
  key: (typeof KEYS)[number],
  reverse: boolean,
): Promise<ListedRef[]> {
  const all: ListedRef[] = []
  for await (const ref of refs) all.push(ref)
  const text = (ref: ListedRef): string => ref[key] ?? ''
  all.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0))
  return reverse ? all.reverse() : all
}
