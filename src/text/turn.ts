import { short } from '../model/encoding/oid.ts'
import { inputText } from '../model/search/entrytext.ts'
import { editsOf, patchIn } from '../model/toolinput.ts'
import type { Subagent, ToolPart, Turn, TurnPart } from '../verbs/types.ts'
import { lookOf } from './entry.ts'
import { markdownLines } from './markdownlines.ts'
import { subagentLines } from './subagents.ts'
import {
  costText,
  counted,
  type Display,
  firstLine,
  type Line,
  linesOf,
  rounded,
  sized,
  styled,
} from './text.ts'
import { editDiff, foldAdded, patchLines } from './textdiff.ts'
import { minute } from './time.ts'
import { callOf, toolLine } from './toolline.ts'
import { cut } from './width.ts'
import { wrap } from './wrap.ts'

/** Which parts of a turn are shown, and how. */
export interface TurnLook extends Display {
  readonly colored: boolean
  /** Calls and results of tools in full. */
  readonly tools: boolean
  readonly thinking: boolean
  /** The texts that agents add: system prompts, reminders, summaries. */
  readonly system: boolean
  /** Entries, models, tokens and cost. */
  readonly meta: boolean
  /** The folder of the session: paths in it are shown relative to it. */
  readonly folder?: string | undefined
}

/** Lines of a turn, and the sub-agents that were started there. */
export interface TurnBlock {
  readonly lines: readonly Line[]
  readonly agents: readonly Subagent[]
}

/** The widest lines of prose: wider ones are hard to read. */
const MAX_PROSE_COLUMNS = 100

const INDENT = '  '

/** Returns a turn as blocks of lines: its heading, and its parts below it. */
export function* turnBlocks(turn: Turn, look: TurnLook): Generator<TurnBlock> {
  let former: BlockKind | undefined
  if (turn.who !== null && !turn.continues) {
    yield { lines: [headingLine(turn, look)], agents: [] }
    former = 'heading'
  }
  const indent = turn.who === null ? '' : INDENT
  for (const { kind, lines, agents = [] } of foldedParts(turn.parts, {
    ...look,
    columns: look.columns - indent.length,
  })) {
    const isApart = former !== undefined && former !== 'heading' && !(former === 'line' && kind === 'line')
    const shown = lines.map((line): Line => (line.length === 0 ? line : [indent, ...line]))
    yield { lines: isApart ? [[], ...shown] : shown, agents }
    former = kind
  }
}

type BlockKind = 'heading' | 'line' | 'text'

/** A part as lines. Folded lines follow one another without an empty line, everything else with one. */
interface PartBlock {
  readonly kind: BlockKind
  readonly lines: readonly Line[]
  readonly agents?: readonly Subagent[]
}

/** Returns who speaks and when; with `meta` the entry, the model and the usage. */
function headingLine({ who, time, oid, model, usage }: Turn, { zone, meta }: TurnLook): Line {
  const { tokens = null, cost = null, computed = 0 } = usage ?? {}
  return [
    styled(lookOf(who), who ?? ''),
    ...(time === null ? [] : [styled('dim', `  ${minute(time, zone)}`)]),
    ...(meta ? [styled('yellow', `  ${short(oid)}`)] : []),
    ...(meta && model !== null ? [`  ${firstLine(model)}`] : []),
    ...(meta && tokens ? [styled('dim', `  ${rounded(tokens.total)} tok`)] : []),
    ...(meta && cost !== null ? [styled('dim', `  ${costText(cost, computed > 0, 4)}`)] : []),
  ]
}

function* foldedParts(parts: readonly TurnPart[], look: TurnLook): Generator<PartBlock> {
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as TurnPart
    const isFolded = (one: TurnPart | undefined): boolean =>
      one?.kind === part.kind &&
      (one.kind === 'aside' ? !look.system : one.kind === 'thinking' && !look.thinking)
    if (!isFolded(part)) {
      yield blockOf(part, look)
      continue
    }
    const texts = [textOf(part)]
    while (isFolded(parts[at + 1])) texts.push(textOf(parts[++at] as TurnPart))
    yield { kind: 'line', lines: [foldedLine(part.kind as Foldable, texts, look)] }
  }
}

const textOf = (part: TurnPart): string => ('text' in part ? part.text : '')

type Foldable = 'aside' | 'thinking'

const FOLDED = {
  aside: { name: 'system', option: '--system' },
  thinking: { name: 'thinking', option: '--thinking' },
} as const

/** Returns texts that are not shown as one line: the beginning of the first one, and how much there is. */
function foldedLine(kind: Foldable, texts: readonly string[], { columns }: TurnLook): Line {
  const { name, option } = FOLDED[kind]
  const size = texts.reduce((sum, text) => sum + text.length, 0)
  const rest = ` (${counted(size, 'character')}, ${option})`
  const first = firstLine(texts[0] ?? '')
  return [
    styled('dim', `· ${name}: ${cut(first, Math.max(16, columns - name.length - 4 - rest.length))}${rest}`),
  ]
}

function blockOf(part: TurnPart, look: TurnLook): PartBlock {
  const prose = { columns: Math.min(MAX_PROSE_COLUMNS, look.columns), colored: look.colored }
  switch (part.kind) {
    case 'text':
      return { kind: 'text', lines: markdownLines(trimmed(part.text), prose) }
    case 'thinking':
    case 'aside':
      return {
        kind: 'text',
        lines: [
          [styled('dim', `· ${FOLDED[part.kind].name}`)],
          ...linesOf(trimmed(part.text)).flatMap((line) =>
            wrap([styled('dim', `  ${line}`)], prose.columns, 0),
          ),
        ],
      }
    case 'image':
      return {
        kind: 'line',
        lines: [[styled('magenta', `image ${firstLine(part.mediaType)}, ${sized(part.bytes)}`)]],
      }
    case 'mark':
      return { kind: 'line', lines: markLines(part, look) }
    case 'tool':
      return toolBlock(part, look)
  }
}

/** Returns a text without empty lines around it. */
const trimmed = (text: string): string => text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd()

type MarkPart = TurnPart & { readonly kind: 'mark' }

/** Returns a compaction and the like as a line; with `system` a summary below it. */
function markLines({ does, text }: MarkPart, look: TurnLook): Line[] {
  if (does === 'setting') return [[styled('dim', `· ${firstLine(text)}`)]]
  const { system, columns } = look
  const line = (words: string): Line => [styled('cyan', `── ${words}`)]
  const [first = '', ...others] = text.split('\n')
  const summary = does === 'merge' ? others.join('\n') : text
  const words = {
    compaction: 'compaction: a summary replaces what is above',
    summary: 'summary of another path',
    edit: text === '' ? 'hides an earlier entry' : 'replaces an earlier entry',
    merge: `merges the entries of '${firstLine(first)}'`,
    rollback: `takes back ${counted(Number(text) || 0, 'turn')}`,
  }[does]
  if (does === 'rollback' || summary === '') return [line(words)]
  if (!system && does !== 'edit')
    return [line(`${words} (${counted(summary.length, 'character')}, --system)`)]
  const prose = { columns: Math.min(MAX_PROSE_COLUMNS, columns) - 2, colored: look.colored }
  return [line(words), ...markdownLines(trimmed(summary), prose).map((one): Line => [INDENT, ...one])]
}

/** Returns a call and its result as a line, with edits below it; or both in full. */
function toolBlock(part: ToolPart, look: TurnLook): PartBlock {
  const { agents } = part
  const { columns, folder, tools } = look
  const isAlone = part.name === null && part.result === null
  const edits = editLines(part, look)
  const isWhole = tools && edits.length === 0
  const headed = { ...part, ...(tools && { result: null }), ...(isWhole && { input: null }) }
  const head = isAlone ? [] : [toolLine(headed, { columns, folder })]
  const asked = isWhole && part.name !== null ? indented(inputText(part.input), 4) : edits
  const answered = tools && part.result ? answerLines(part.result) : []
  const started = subagentLines(agents, { columns: columns - 4 }).map((line): Line => ['    ', ...line])
  const lines = [...head, ...asked, ...answered, ...started]
  return { kind: tools ? 'text' : 'line', lines, agents }
}

/** Returns the edits that a call asks for as differences. */
function editLines(part: ToolPart, { tools }: TurnLook): Line[] {
  const call = callOf(part)
  const patch = patchIn(call)
  const edits = patch === undefined ? editsOf(call) : []
  const lines = patch === undefined ? edits.flatMap(editDiff) : patchLines(patch)
  const shown = tools ? lines : foldAdded(lines, '--tools')
  return shown.map((line): Line => [INDENT, ...line])
}

function answerLines({ error, text, lines }: NonNullable<ToolPart['result']>): Line[] {
  const head = error ? styled('red', '✗ error') : styled('magenta', '← result')
  return [[INDENT, head, styled('dim', `, ${counted(lines, 'line')}`)], ...indented(text, 4)]
}

const indented = (text: string, by: number): Line[] =>
  text.trimEnd() === ''
    ? []
    : linesOf(text.trimEnd()).map(
        (line): Line => (line === '' ? [] : [' '.repeat(by), { ...styled('plain', line), whole: true }]),
      )
