import { defined } from '../../model/json.ts'
import { FIELDS } from '../../model/search/query.ts'
import { hitLines } from '../../text/hits.ts'
import { counted } from '../../text/text.ts'
import { type PageItem, type PageOptions, withCursor } from '../../verbs/page.ts'
import { anyOf } from '../../verbs/schema.ts'
import { found, foundPage, search } from '../../verbs/search.ts'
import { searchCount } from '../../verbs/search-count.ts'
import type { Hit } from '../../verbs/types.ts'
import { defineCommand, output } from '../define.ts'
import { didYouMean, nearest } from '../errors/suggest.ts'
import { isPage, pageOptions, rowSchemaOf } from '../pageoptions.ts'
import { flag } from '../parameters.ts'

const fields = Object.entries(FIELDS)
  .map(([name, takes]) => `  ${`${name}:`.padEnd(12)}${takes}`)
  .join('\n')

const { query, limit, session } = search.input

/** `sess search`: searches the text of all sessions. */
export const command = defineCommand({
  effect: search.effect,
  paged: true,
  arguments: { query },
  options: {
    limit: { ...limit, short: 'n' },
    all: flag('show every hit'),
    ...pageOptions(search, 'all', 'count'),
    count: flag('print only the number of hits'),
    session,
  },
  help: `Words match in upper and lower case, also within other words. Write -- before a query that begins with -.
The best hits come first: adjacent words before distant ones; then prompts, labels and titles, then replies,
then tools; then the newest.

  -term       not this
  a OR b      this or that
  re:expr     a regular expression
${fields}`,
  examples: [
    ['sess search tide table', 'entries with both words'],
    ['sess search \'"tide table"\' role:user', 'the phrase, in prompts'],
    ['sess search tool:bash is:failed since:2w', 'shell commands that failed in the last two weeks'],
    ['sess search git-branch:main pr:42 flicker', 'in sessions on a git branch and about a pull request'],
    ["sess search 're:TypeError.*undefined' --count", 'count the entries that match an expression'],
  ],
  output: output(
    'A line for each hit, the best first; with --count one object.',
    anyOf(rowSchemaOf(search), searchCount.output.schema),
  ),
  run: async (call, { limit: most, all, count: counts, after, before, ...asked }) => {
    const context = await call.context()
    if (counts) {
      const { hits, sessions } = await searchCount.run(context, asked)
      return {
        data: { hits, sessions },
        render: () => [[`${counted(hits, 'hit')} in ${counted(sessions, 'session')}`]],
      }
    }
    const place = defined({ after, before }) as PageOptions
    if (isPage(place)) {
      const { items, short } = await foundPage(context, asked, { ...place, limit: most })
      return { data: items.map(rowOf), render: () => hitLines(items, { ...call.display, short }) }
    }
    const how = { ...asked, limit: all ? Number.POSITIVE_INFINITY : most }
    const { hits, complete, short } = await found(context, how)
    if (hits.length === 0) {
      await call.io.note('nothing was found')
      const meant = fieldsMeantIn(asked.query.join(' '))
      if (meant.length > 0) call.hint('search', `${didYouMean(meant)}'sess help search' lists the fields`)
    } else if (!complete) call.hint('search', 'there may be more: -n N shows so many hits, --all every one')
    return {
      data: hits.map(rowOf),
      render: () => hitLines(hits, { ...call.display, short }),
    }
  },
})

/** Returns the JSON of a hit. */
const rowOf = (one: PageItem<Hit>): object => withCursor(search.item.wire(one) as object, one)

/** Returns the search fields that unknown words before a colon may have meant. */
const fieldsMeantIn = (typed: string): string[] =>
  [...typed.matchAll(/(?:^|\s)-?([a-z]+(?:-[a-z]+)*):(?=\S)/g)].flatMap(([, word = '']) =>
    Object.hasOwn(FIELDS, word) ? [] : nearest(word, Object.keys(FIELDS)).map((field) => `${field}:`),
  )
