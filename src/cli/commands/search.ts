import { defined } from '../../model/json.ts'
import { FIELDS } from '../../model/search/query.ts'
import { hitCursor } from '../../ops/rows/cursor.ts'
import { searchPage } from '../../ops/rows/searchpage.ts'
import { countHits, search } from '../../ops/search/search.ts'
import { defineCommand, output } from '../define.ts'
import { oidSchema, roleSchema, timestamp } from '../outputschemas.ts'
import { pageIn, pageOptions } from '../pageoptions.ts'
import { atLeastOne, count, flag, option, optionWith, session, text } from '../parameters.ts'
import { hitLines } from '../render/hits.ts'
import { counted } from '../render/text.ts'
import { anyOf, arrayOf, boolean, described, integer, nullable, object, oneOf, string } from '../schema.ts'
import { didYouMean, nearest } from '../suggest.ts'

const fields = Object.entries(FIELDS)
  .map(([name, takes]) => `  ${`${name}:`.padEnd(12)}${takes}`)
  .join('\n')

/** `sess search`: searches the text of all sessions. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: {
    query: atLeastOne(text('query'), 'words, "phrases", re:expressions and fields, combined by AND'),
  },
  options: {
    limit: optionWith(count(), 20, 'show at most N hits', { short: 'n' }),
    all: flag('show every hit'),
    ...pageOptions('all', 'count'),
    count: flag('print only the number of hits'),
    session: option(session(), 'search this session only'),
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
    anyOf(
      object({
        oid: described('null for a session found by its title', nullable(oidSchema)),
        session: string,
        title: nullable(string),
        prompt: described('the first words of its user', nullable(string)),
        others: described('the other sessions that share the entry', arrayOf(string)),
        role: nullable(roleSchema),
        time: nullable(timestamp),
        rank: described('the lower the better', integer),
        snippets: arrayOf(
          object({
            place: oneOf('title', 'label', 'prompt', 'reply', 'tool'),
            tool: nullable(string),
            text: string,
            spans: described(
              'what was found, in UTF-16 units of the text',
              arrayOf(object({ from: integer, to: integer })),
            ),
            cut: described(
              'whether its first line is cut at its beginning, its last one at its end',
              arrayOf(boolean),
            ),
          }),
        ),
        cursor: described('names the hit for --after and --before', string),
      }),
      object({ hits: integer, sessions: integer }),
    ),
  ),
  run: async (call, { query: words, limit, all, count: counts, after, before, ...where }) => {
    const { io, platform } = call
    const query = words.join(' ')
    const within = { zone: platform.zone, ...where }
    if (counts) {
      const { hits, sessions } = await countHits(await call.repo(), query, within)
      return {
        data: { hits, sessions },
        render: () => [[`${counted(hits, 'hit')} in ${counted(sessions, 'session')}`]],
      }
    }
    const most = all ? Number.POSITIVE_INFINITY : limit
    const page = pageIn(defined({ after, before, limit }))
    if (page) {
      const { items, short } = await searchPage(await call.repo(), query, { ...within, ...page })
      return { data: items, render: () => hitLines(items, { ...call.display, short }) }
    }
    const { hits, complete, short } = await search(await call.repo(), query, { ...within, limit: most })
    if (hits.length === 0) {
      await io.note('nothing was found')
      const meant = fieldsMeantIn(query)
      if (meant.length > 0) call.hint('search', `${didYouMean(meant)}'sess help search' lists the fields`)
    } else if (!complete) call.hint('search', 'there may be more: -n N shows so many hits, --all every one')
    const rows = hits.map((hit, i) => ({ ...hit, cursor: hitCursor(hit, i) }))
    return { data: rows, render: () => hitLines(hits, { ...call.display, short }) }
  },
})

/** Returns the search fields that unknown words before a colon may have meant. */
const fieldsMeantIn = (query: string): string[] =>
  [...query.matchAll(/(?:^|\s)-?([a-z]+(?:-[a-z]+)*):(?=\S)/g)].flatMap(([, word = '']) =>
    Object.hasOwn(FIELDS, word) ? [] : nearest(word, Object.keys(FIELDS)).map((field) => `${field}:`),
  )
