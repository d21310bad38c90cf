import { FIELDS } from '../../model/query.ts'
import { countHits, search } from '../../ops/search.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { guessing } from '../guessing.ts'
import { nearest } from '../near.ts'
import { count } from '../options.ts'
import { hitLines } from '../render/hits.ts'
import { counted } from '../render/text.ts'

interface Options {
  readonly limit: number
  readonly all?: boolean
  readonly count?: boolean
  readonly session?: string
}

const fields = Object.entries(FIELDS)
  .map(([name, takes]) => `  ${`${name}:`.padEnd(10)}${takes}`)
  .join('\n')

/** Returns the search fields that unknown words before a colon may have meant. */
const fieldsMeantIn = (query: string): string[] =>
  [...query.matchAll(/(?:^|\s)-?([a-z]+):(?=\S)/g)].flatMap(([, word = '']) =>
    Object.hasOwn(FIELDS, word) ? [] : nearest(word, Object.keys(FIELDS)).map((field) => `${field}:`),
  )

/** `sess search`: searches the text of sessions. */
export const define: Define = (command, act) => {
  command
    .argument('<query...>', 'words, "phrases", re:expressions and fields, combined by AND')
    .option('-n, --limit <n>', 'show at most N hits', count, 20)
    .option('--all', 'show every hit')
    .option('--count', 'print only the number of hits')
    .option('--session <session>', 'search this session only')
    .addHelpText(
      'after',
      '\nWords match in upper and lower case, also within other words. Write -- before a query that begins with -.\n' +
        'The best hits come first: adjacent words before distant ones; then prompts, labels and titles, then replies,\n' +
        'then tools; then the newest.\n\n' +
        `  -term     not this\n  a OR b    this or that\n  re:expr   a regular expression\n${fields}`,
    )
    .action(
      act(async (call, words: string[], { limit, all = false, session, ...options }: Options) => {
        const { io, world } = call
        const query = words.join(' ')
        const where = { zone: world.zone, ...(session === undefined ? {} : { session }) }
        if (options.count) {
          const { hits, sessions } = await countHits(await call.repo(), query, where)
          if (io.json) await io.data({ hits, sessions })
          else await io.print(`${counted(hits, 'hit')} in ${counted(sessions, 'session')}`)
          return
        }
        const most = all ? Number.POSITIVE_INFINITY : limit
        const { hits, complete, short } = await search(await call.repo(), query, { ...where, limit: most })
        if (io.json) for (const hit of hits) await io.data(hit)
        else
          for (const line of hitLines(hits, { columns: io.columns, zone: world.zone, short }))
            await io.print(...line)
        if (hits.length === 0) {
          await io.note('nothing was found')
          const meant = fieldsMeantIn(query)
          if (meant.length > 0) call.hint('search', `${guessing(meant)}'sess help search' lists the fields`)
        } else if (!complete && !io.json)
          call.hint('search', 'there may be more: -n N shows so many hits, --all every one')
      }),
    )
  examples(command, [
    ['sess search tide table', 'entries with both words'],
    ['sess search \'"tide table"\' role:user', 'the phrase, in prompts'],
    ['sess search tool:bash is:failed since:2w', 'shell commands that failed in the last two weeks'],
    ["sess search 're:TypeError.*undefined' --count", 'count the entries that match an expression'],
  ])
}
