import { defined } from '../../model/json.ts'
import { FIELDS } from '../../model/search/query.ts'
import { foundSessionLines, hitLines } from '../../text/hits.ts'
import { counted } from '../../text/text.ts'
import { type PageItem, type PageOptions, withCursor } from '../../verbs/page.ts'
import { anyOf } from '../../verbs/schema.ts'
import { found, foundPage, search } from '../../verbs/search.ts'
import { searchCount } from '../../verbs/search-count.ts'
import { foundSessions, searchSessions } from '../../verbs/search-sessions.ts'
import type { Hit } from '../../verbs/types.ts'
import { defineCommand, output } from '../define.ts'
import { didYouMean, nearest } from '../errors/suggest.ts'
import type { Invocation } from '../invocation.ts'
import { isPage, pageOptions, rowSchemaOf } from '../pageoptions.ts'
import { flag } from '../parameters.ts'

const fields = Object.entries(FIELDS)
  .map(([name, takes]) => `  ${`${name}:`.padEnd(12)}${takes}`)
  .join('\n')

const { query, limit, session } = search.input

/** The options that show hits in another form than one by one. */
const FORMS = ['count', 'sessions']

/** `sess search`: searches the text of all sessions. */
export const command = defineCommand({
  effect: search.effect,
  paged: true,
  arguments: { query },
  options: {
    limit: { ...limit, short: 'n' },
    all: flag('show every hit'),
    ...pageOptions(search, 'all', ...FORMS),
    sessions: flag('show a line for each session: the number of its hits, and the best one', { short: 'l' }),
    count: flag('print only the number of hits', { excludes: ['sessions'] }),
    session,
  },
  help: `Words match in upper and lower case, also within other words. Write -- before a query that begins with -.
The best hits come first: adjacent words before distant ones; then prompts, labels and titles, then replies,
then tools; then the newest. A query of nothing but agent:, session:, title:, cwd:, project:, git-branch:, commit:,
repository: and pr:, also with since: and until:, finds sessions.

  -term       not this
  a OR b      this or that
  re:expr     a regular expression
${fields}`,
  examples: [
    ['sess search tide table', 'entries with both words'],
    ['sess search \'"tide table"\' role:user', 'the phrase, in prompts'],
    ['sess search tool:bash is:failed since:2w', 'shell commands that failed in the last two weeks'],
    ['sess search git-branch:main pr:42 flicker', 'in sessions on a git branch and about a pull request'],
    ['sess search title:tide since:2w', 'sessions by their title'],
    ['sess search -l harbour', 'the sessions in which it was said'],
    ["sess search 're:TypeError.*undefined' --count", 'count the entries that match an expression'],
  ],
  output: output(
    'A line for each hit, or with --sessions for each session, the best first; with --count one object.',
    anyOf(rowSchemaOf(search), searchSessions.item.schema, searchCount.output.schema),
  ),
  run: async (call, { limit: most, all, count: counts, sessions: isBySession, after, before, ...asked }) => {
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
    if (isBySession) {
      const { sessions, complete, short } = await foundSessions(context, how)
      await sayWhatLacks(call, asked.query, sessions.length, complete)
      const look = { ...call.display, columns: call.io.tableColumns, short }
      return {
        data: sessions.map((one) => searchSessions.item.wire(one) as object),
        render: () => foundSessionLines(sessions, look),
      }
    }
    const { hits, complete, short } = await found(context, how)
    await sayWhatLacks(call, asked.query, hits.length, complete)
    return {
      data: hits.map(rowOf),
      render: () => hitLines(hits, { ...call.display, short }),
    }
  },
})

/** Says that nothing was found, or that there is more. */
async function sayWhatLacks(
  call: Invocation,
  asked: readonly string[],
  count: number,
  complete: boolean,
): Promise<void> {
  if (count === 0) {
    await call.io.note('nothing was found')
    const meant = fieldsMeantIn(asked.join(' '))
    if (meant.length > 0) call.hint('search', `${didYouMean(meant)}'sess help search' lists the fields`)
  } else if (!complete) call.hint('search', 'there are more: -n N shows so many, --all every one')
}

/** Returns the JSON of a hit. */
const rowOf = (one: PageItem<Hit>): object => withCursor(search.item.wire(one) as object, one)

/** Returns the search fields that unknown words before a colon may have meant. */
const fieldsMeantIn = (typed: string): string[] =>
  [...typed.matchAll(/(?:^|\s)-?([a-z]+(?:-[a-z]+)*):(?=\S)/g)].flatMap(([, word = '']) =>
    Object.hasOwn(FIELDS, word) ? [] : nearest(word, Object.keys(FIELDS)).map((field) => `${field}:`),
  )
