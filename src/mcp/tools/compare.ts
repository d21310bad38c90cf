import { compare as compareVerb } from '../../verbs/compare.ts'
import { atLeastOne, flag } from '../../verbs/input.ts'
import { log } from '../../verbs/log.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { arrayOf, described, integer, mapOf, nullable, number, object, string } from '../../verbs/schema.ts'
import type { Side } from '../../verbs/types.ts'
import { revision } from '../../verbs/values.ts'
import { perform } from '../../verbs/verb.ts'
import { CITED, cited, shortOidOrNull, shortOidSchema } from '../cited.ts'
import { LISTED, listedEntry } from '../entrytext.ts'
import { lineOrNull, Quoted } from '../quoted.ts'
import { rounded } from '../rounded.ts'
import { readTool } from '../tool.ts'

/** The most revisions that are compared, and the most entries, files and tools of each that are listed. */
const [MAX_SIDES, MAX_ADDED, MAX_FILES, MAX_TOOLS] = [6, 8, 20, 12]

export const compare = readTool({
  name: 'compare',
  title: 'Compare sessions or branches',
  description: `Compare two or more sessions, branches or entries since they parted: tokens, cost, time, tool calls, errors, files, how each ended, and of two also the newest entries that each has and the other has not (their diff). Use it to say which of several attempts went better. Sessions without a common history are compared whole.`,
  input: {
    revisions: atLeastOne(revision(), `2 to ${MAX_SIDES} sessions, SESSION/BRANCH or oids`),
    whole: flag('compare whole paths, not only what follows the fork point'),
  },
  about: { base: described('the newest entry that all have', nullable(shortOidSchema)) },
  item: object({
    ...CITED,
    revision: string,
    branch: nullable(string),
    outcome: nullable(string),
    entries: integer,
    messages: integer,
    calls: integer,
    errors: integer,
    tokens: nullable(integer),
    cost: nullable(number),
    seconds: nullable(integer),
    tools: described('calls by tool', mapOf(integer)),
    changed: described('files', arrayOf(string)),
    added: described('the newest entries that the other one has not', arrayOf(object(LISTED))),
  }),
  run: async ({ context }, { revisions, whole }) => {
    const named = revisions.slice(0, MAX_SIDES)
    const asked = { revisions: named, metric: 'cost', whole } as const
    const { result } = await perform(compareVerb, context, asked)
    const sides = result?.sides ?? []
    const items: { readonly data: object }[] = []
    for (const [i, side] of sides.entries()) {
      const other = sides.length === 2 ? sides[1 - i] : undefined
      items.push({ data: { ...sideData(side), added: other ? await addedBy(context, side, other) : [] } })
    }
    const left = revisions.length > MAX_SIDES ? `Only the first ${MAX_SIDES} were compared.` : undefined
    return { about: { base: shortOidOrNull(result?.base) }, items, left }
  },
})

async function addedBy(context: VerbContext, side: Side, other: Side): Promise<readonly object[]> {
  const { result } = await perform(log, context, {
    ...{ revision: `${other.revision}..${side.revision}`, path: [], limit: MAX_ADDED },
    ...{ all: false, everywhere: false, whole: false, usage: false, reverse: false },
  })
  return (result?.items ?? []).map((entry) => listedEntry(entry, 200))
}

const sideData = (side: Side): object => ({
  ...cited({ session: side.session, oid: side.oid, time: side.lastActivity }),
  revision: new Quoted(side.revision, { limit: 120 }),
  branch: lineOrNull(side.branch, 80),
  outcome: side.outcome,
  entries: side.entries,
  messages: side.messages,
  calls: side.calls,
  errors: side.errors,
  tokens: side.tokens?.total ?? null,
  cost: rounded(side.cost),
  seconds: side.duration === null ? null : Math.round(side.duration / 1000),
  tools: Object.fromEntries(
    Object.entries(side.tools)
      .filter(([name]) => /^[\w.:-]{1,60}$/.test(name))
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_TOOLS),
  ),
  changed: side.files.changed.slice(0, MAX_FILES).map((path) => new Quoted(path, { limit: 200 })),
})
