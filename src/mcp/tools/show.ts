import { hasCode } from '../../model/errors.ts'
import { optional, required, withDefault } from '../../verbs/input.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { cursorOfEntry, read } from '../../verbs/read.ts'
import { arrayOf, boolean, described, integer, nullable, object, string } from '../../verbs/schema.ts'
import type { Shown, Turn } from '../../verbs/types.ts'
import { count, revision, session } from '../../verbs/values.ts'
import { perform } from '../../verbs/verb.ts'
import { CITED, cited, shortOidOrNull, shortOidSchema } from '../cited.ts'
import { textOfView } from '../entrytext.ts'
import { lineOrNull, Quoted, Rest } from '../quoted.ts'
import { FACTS, factsOf } from '../sessionfacts.ts'
import { shownIn } from '../shownin.ts'
import { readTool } from '../tool.ts'
import { turnData, turnSchema } from '../turndata.ts'

/** The parts of an answer that its texts have, and of these the entry itself at most where others are shown too. */
const [ALL, SHARE] = [0.9, 0.5]

/** The part of the rest that the turns before an entry have. */
const EARLY = 0.25

/** The most turns before an entry, and after it. */
const MAX_TURNS = 10

export const show = readTool({
  name: 'show',
  title: 'Show an entry and what is around it',
  description: `Show an entry whole: all that was said, with tool calls and their results, and the turns before and after it. Call it with the oid of a hit of search: what follows a prompt is how it was solved. With a session in place of an oid it shows how the session ended. For a longer text pass rest.from as from; to read on, call it with the oid of the last turn.`,
  input: {
    revision: required(revision('oid'), 'the oid of an entry, or a session, SESSION~3, SESSION/BRANCH'),
    session: optional(session(), 'the session to show it in, where several share the entry'),
    around: withDefault(count('turns'), 2, `turns before and after, at most ${MAX_TURNS}; 0 for none`),
    from: withDefault(count('characters'), 0, 'begin the text of the entry here'),
  },
  item: object({
    ...CITED,
    uri: described('names it for good', string),
    role: nullable(string),
    type: described('dialect and kind, such as claude/assistant', string),
    ...FACTS,
    labels: arrayOf(string),
    text: string,
    rest: described('what is left of the text', nullable(object({ from: integer, characters: integer }))),
    continues: described('the entry before it', nullable(shortOidSchema)),
    next: described('the entry after it on the path of its session', nullable(shortOidSchema)),
    before: described('turns before it, the oldest first', arrayOf(turnSchema)),
    after: described('turns after it', arrayOf(turnSchema)),
    isMore: described('whether the session goes on after these', boolean),
  }),
  run: async ({ context, room }, { revision: name, session: owner, around, from }) => {
    const shown = await shownIn(context, name, owner)
    if (!shown) return { items: [] }
    const turns = Math.min(MAX_TURNS, around)
    const { before, after, isMore } = turns === 0 ? ALONE : await surroundings(context, shown, turns)
    const whole = textOfView(shown.view)
    const limit = Math.floor(room * (turns === 0 ? ALL : SHARE))
    const text = new Quoted(whole, { limit, from, lines: true })
    const left = room * ALL - Math.min(limit, Math.max(0, whole.length - from))
    // How it was solved comes after it.
    const early = Math.floor((left * EARLY) / Math.max(1, before.length))
    const late = Math.floor((left * (1 - EARLY)) / Math.max(1, after.length))
    const facts = await factsOf(context)
    const { role, type, labels, parents } = shown
    const data = {
      ...{ ...cited(shown), uri: `sess://entry/${shown.oid}`, role, type, ...facts(shown.session) },
      labels: labels.slice(0, 20).map((label) => lineOrNull(label, 80)),
      text,
      rest: new Rest(text),
      continues: shortOidOrNull(parents[0]),
      next: shortOidOrNull(shown.around.after?.oid),
      before: before.map((turn) => turnData(turn, early)),
      after: after.map((turn) => turnData(turn, late)),
      isMore,
    }
    return { items: [{ data }] }
  },
})

/** The turns before an entry and after it. */
interface Turns {
  readonly before: readonly Turn[]
  readonly after: readonly Turn[]
  readonly isMore: boolean
}

const ALONE: Turns = { before: [], after: [], isMore: false }

async function surroundings(context: VerbContext, shown: Shown, turns: number): Promise<Turns> {
  const { session: of, oid } = shown
  const page = { tools: false, meta: false, limit: turns }
  const cursor = cursorOfEntry({ session: of, oid })
  try {
    const named = { ...page, revision: of ?? oid }
    const before = (await perform(read, context, { ...named, before: cursor })).result
    const after = (await perform(read, context, { ...named, after: cursor })).result
    return {
      before: before?.items ?? [],
      after: after?.items ?? [],
      isMore: typeof after?.next === 'string',
    }
  } catch (error) {
    if (!hasCode(error, 'no-entry')) throw error
    // The path of its session does not go through it: the one to it does.
    const alone = { ...page, revision: oid, before: cursorOfEntry({ session: null, oid }) }
    return { before: (await perform(read, context, alone)).result?.items ?? [], after: [], isMore: true }
  }
}
