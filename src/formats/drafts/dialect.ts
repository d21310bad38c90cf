import { asString, field, type Json } from '../../model/json.ts'
import type { View } from '../../model/view.ts'
import { bodyOf, KINDS } from '../pi/body.ts'
import { PI, type PiDialect } from '../pi/dialect.ts'
import type { PiForm } from '../pi/form.ts'
import { view as piView } from '../pi/view.ts'
import { all, chosen } from '../select.ts'

/** Why no agent goes on with a draft. */
export const UNRESUMED = 'no agent that was released reads this draft'

/** What stands for an abandoned path, by the names that the drafts have for it. */
const STACK: ReadonlySet<string> = new Set(['stack_summary', 'stack_pop'])

/** The dialect of both drafts: a conversation has the same entries in either. */
export const DRAFT = 'draft'

/** Returns the dialect of the drafts: pi's, with summaries of a stack. */
export const draftDialect = (): PiDialect => ({
  ...PI,
  name: DRAFT,
  kinds: new Set([...KINDS, ...STACK]),
  bodyOf: (kind, value) =>
    STACK.has(kind) ? chosen(value, all('summary', 'prePopSummary', 'details')) : bodyOf(kind, value),
})

/** Gives what an entry of a draft means. What was popped across a compaction is summed up before it. */
export function draftView(kind: string, body: Json): View {
  if (!STACK.has(kind)) return piView(kind, body)
  const texts = [field(body, 'prePopSummary'), field(body, 'summary')].flatMap((text) => asString(text) || [])
  return piView('branch_summary', { summary: texts.join('\n\n') })
}

/** Gives the form in which a draft is written: that of pi, without what came later. */
export const draftForm = (form: Pick<PiForm, 'begin' | 'head'>): PiForm => ({
  dialect: DRAFT,
  view: draftView,
  system: 'system',
  edits: false,
  modes: false,
  model: ({ provider = 'unknown', id }) => ({ provider, modelId: id }),
  labels: false,
  title: (subject) => ({ code: 'title', subject }),
  ...form,
})
