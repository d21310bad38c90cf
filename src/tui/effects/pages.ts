import { short } from '../../model/encoding/oid.ts'
import { comparisonLines } from '../../text/compare.ts'
import { contextLines } from '../../text/context.ts'
import { diffLines } from '../../text/diff.ts'
import { lookOf } from '../../text/entry.ts'
import { moveLines, operationText } from '../../text/operation.ts'
import { saidLines } from '../../text/show.ts'
import { type Display, firstLine, type Line, styled } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { turnBlocks } from '../../text/turn.ts'
import { wrap } from '../../text/wrap.ts'
import { compare } from '../../verbs/compare.ts'
import { context } from '../../verbs/context.ts'
import { diff } from '../../verbs/diff.ts'
import { log } from '../../verbs/log.ts'
import { opLog } from '../../verbs/op-log.ts'
import { opShow } from '../../verbs/op-show.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { read } from '../../verbs/read.ts'
import { search } from '../../verbs/search.ts'
import type { Keymap } from '../state/keymap.ts'
import type { ListItem, ListSubject } from '../state/state.ts'
import { helpLines } from '../view/help.ts'

/** A part of a list, and what names the part after it. */
export interface ReadPage {
  readonly items: readonly ListItem[]
  readonly next: string | null
}

interface PageRequest {
  readonly subject: ListSubject
  readonly after: string | null
  readonly limit: number
}

/** The parts of the state that are shown without reading the store. */
export interface ShownState {
  readonly keymap: Keymap
  readonly commands: readonly string[]
}

const NO_PATH = { path: [], all: false, whole: false, everywhere: false, usage: false, reverse: false }

/** Reads a page of a list. Throws as the verb that it shows. */
export async function readPage(
  call: VerbContext,
  { subject, after, limit }: PageRequest,
  display: Display,
  known: ShownState,
): Promise<ReadPage> {
  const from = { limit, ...(after !== null && { after }) }
  switch (subject.kind) {
    case 'log': {
      const { items, next } = await log.run(call, { ...NO_PATH, revision: subject.revision, ...from })
      return { items: items.map((entry) => ({ kind: 'entry', entry })), next }
    }
    case 'prompts': {
      const asked = { ...NO_PATH, revision: subject.session, revset: 'role(user)', ...from }
      const { items, next } = await log.run(call, asked)
      return { items: items.map((entry) => ({ kind: 'entry', entry })), next }
    }
    case 'operations': {
      const { items, next } = await opLog.run(call, { refs: [], ...from })
      return { items: items.map((operation) => ({ kind: 'operation', operation })), next }
    }
    case 'hits': {
      const { items, next } = await search.run(call, { query: [subject.query], ...from })
      return { items: items.map((hit) => ({ kind: 'hit', hit })), next }
    }
    case 'reader':
      return readConversation(call, subject, from, display)
    case 'context':
      return textPage([...contextLines(await context.run(call, { revision: subject.revision }))], display)
    case 'diff': {
      const { a, b } = subject
      const found = await diff.run(call, { a, b })
      return textPage(
        diffLines(found, { a: a.slice(0, 8), b: b.slice(0, 8), columns: display.columns, words: false }),
        display,
      )
    }
    case 'compare': {
      const { a, b } = subject
      const found = await compare.run(call, { revisions: [a, b], metric: 'cost', whole: false })
      return textPage(comparisonLines(found, display), display)
    }
    case 'commands':
      return textPage(
        known.commands.map((command): Line => [command]),
        display,
      )
    case 'help':
      return textPage(helpLines(known.keymap), display)
  }
}

/** Returns lines as the rows of a text, broken to fit. */
const textPage = (lines: readonly Line[], { columns }: Display): ReadPage => ({
  items: lines.flatMap((line) => wrap(line, columns)).map((line) => ({ kind: 'line', line })),
  next: null,
})

/** Reads turns of a conversation, with an empty line between two of them. */
async function readConversation(
  call: VerbContext,
  { revision }: ListSubject & { readonly kind: 'reader' },
  from: { readonly limit: number; readonly after?: string },
  display: Display,
): Promise<ReadPage> {
  const asked = { revision, tools: false, meta: false, ...from }
  const { items, next } = await read.run(call, asked)
  const look = { ...display, tools: false, thinking: false, system: false, meta: false, colored: true }
  const lines = items.flatMap((turn, i): ListItem[] => {
    const at = turn.session === null ? undefined : { session: turn.session, oid: turn.oid }
    const isNew = (i > 0 || from.after !== undefined) && !turn.continues
    const own = [...turnBlocks(turn, look)].flatMap((block) => block.lines)
    return [...(isNew ? [[]] : []), ...own]
      .flatMap((line) => wrap(line, display.columns))
      .map((line) => ({ kind: 'line', line, ...(at && { at }) }))
  })
  return { items: lines, next }
}

/** Reads what stands beside a list: an entry, the current entry of a session, or an operation. */
export async function readPreview(call: VerbContext, of: string, display: Display): Promise<readonly Line[]> {
  const [kind = '', name = ''] = of.split(/:(.*)/s)
  const columns = Math.max(8, display.columns - 2)
  if (kind === 'operation') {
    const { moves, ...operation } = await opShow.run(call, { operation: name })
    const lines: Line[] = [operationText(operation, display), [], ...moveLines(moves, name)]
    return lines.flatMap((line) => wrap(line, columns))
  }
  // A log reads the entry alone: `show` also looks for the branches that name it, and for what follows it.
  const asked = { ...NO_PATH, whole: true, revision: name, limit: 1 }
  const [entry] = (await log.run(call, asked)).items
  if (!entry) return []
  const { oid, role, type, time, view } = entry
  const head: Line = [
    styled(lookOf(role), role ?? firstLine(type)),
    styled('dim', time === null ? '  ' : `  ${minute(time, display.zone)}  `),
    styled('yellow', short(oid)),
  ]
  // A text of megabytes is not laid out for a pane: the reader shows it.
  const said = saidLines(view).slice(0, MAX_LINES)
  return [head, [], ...said].flatMap((line) => wrap(line, columns))
}

const MAX_LINES = 2000
