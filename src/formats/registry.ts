import type { Json } from '../model/json.ts'
import { light, type Usage, type View } from '../model/view.ts'
import { aider } from './aider.ts'
import { amp } from './amp.ts'
import { antigravity } from './antigravity.ts'
import { claude, claudeWeb } from './claude-code/index.ts'
import { cline, clineAbout, clineSession, clineUi } from './cline.ts'
import { codex, codexDocument } from './codex/index.ts'
import { continueDev } from './continue.ts'
import { copilot } from './copilot-cli.ts'
import type { Format, Variant } from './core/format.ts'
import type { Sample } from './core/sample.ts'
import { crush } from './crush.ts'
import { cursor, cursorChat } from './cursor.ts'
import { dash } from './dash.ts'
import { indexTree, uuidTree } from './drafts.ts'
import { droid, droidSettings } from './droid.ts'
import { gemini } from './gemini-cli/index.ts'
import { guessView } from './generic/heuristics.ts'
import { genericDocument, genericLines, opaque } from './generic/index.ts'
import { goose } from './goose.ts'
import { grok, grokSummary } from './grok.ts'
import { html } from './html.ts'
import { kimi, kimiState } from './kimi.ts'
import { kiro, kiroAbout } from './kiro.ts'
import { markdown } from './markdown.ts'
import { ohMyPi } from './oh-my-pi.ts'
import { clawdbot, openclaw } from './openclaw.ts'
import { opencode } from './opencode/index.ts'
import { pi } from './pi/index.ts'
import { qwen } from './qwen-code.ts'
import { rollouts, rolloutsSession } from './rollouts/index.ts'
import { native } from './sess.ts'
import { vibe } from './vibe.ts'
import { windsurf } from './windsurf.ts'

/** All formats, in the order in which they are asked whether a source is theirs. */
export const FORMATS: readonly Format[] = [
  native,
  claude,
  claudeWeb,
  codex,
  codexDocument,
  dash,
  rollouts,
  rolloutsSession,
  indexTree,
  uuidTree,
  openclaw,
  ohMyPi,
  pi,
  gemini,
  qwen,
  kimi,
  kimiState,
  grok,
  grokSummary,
  kiro,
  kiroAbout,
  vibe,
  antigravity,
  windsurf,
  copilot,
  droid,
  droidSettings,
  cursor,
  clawdbot,
  amp,
  continueDev,
  cline,
  clineSession,
  clineUi,
  clineAbout,
  aider,
  opencode,
  crush,
  goose,
  cursorChat,
  genericLines,
  genericDocument,
  opaque,
]

/** Returns the first format that takes a source. */
export const detectFormat = (sample: Sample): Format =>
  FORMATS.find((format) => format.detect(sample)) ?? opaque

/** Returns the format of a name. */
export const formatNamed = (name: string): Format | undefined =>
  FORMATS.find((format) => format.name === name)

const DIALECTS: ReadonlyMap<string, Format> = new Map(FORMATS.map((format) => [format.dialect, format]))

/**
 * Returns the view of an entry, from its type and body; for an unknown dialect, a guess. The value of its record adds
 * the usage that the body leaves out.
 */
export const viewOf = (type: string, body: Json, record?: Json): View => light(fullViewOf(type, body, record))

/** Returns the same with the seals of thoughts and with the content of images. */
export function fullViewOf(type: string, body: Json, record?: Json): View {
  const { format, kind } = type === last.type ? last : (last = kindOf(type))
  const said = format ? format.view(kind, body) : guessView(body)
  const found = record === undefined ? undefined : format?.usage?.[kind]?.(record)
  const view = found ? { ...said, usage: { ...said.usage, ...found } } : said
  const { usage } = view
  return usage === undefined || isCounted(usage) ? view : counted(view, usage)
}

/** Returns whether the record of an entry of this type may hold usage that its body leaves out. */
export function isUsageInRecord(type: string): boolean {
  const { format, kind } = type === last.type ? last : (last = kindOf(type))
  return format?.usage !== undefined && Object.hasOwn(format.usage, kind)
}

/** A type taken apart. */
interface KnownType {
  readonly type: string
  readonly format: Format | undefined
  readonly kind: string
}

function kindOf(type: string): KnownType {
  const slash = type.indexOf('/')
  const dialect = slash < 0 ? type : type.slice(0, slash)
  return { type, format: DIALECTS.get(dialect), kind: slash < 0 ? '' : type.slice(slash + 1) }
}

/** That of the last entry: the next one most often has it too. */
let last = kindOf('')

const isCounted = ({ input, output, cacheRead, cacheWrite, cost }: Usage): boolean =>
  isCount(input) && isCount(output) && isCount(cacheRead) && isCount(cacheWrite) && isCount(cost)

/** More than any model call took: sums of such counts, and of numbers that no double holds, say nothing. */
const MOST = 1e12

/** Returns those counts of a usage that may be some. */
export const countsOf = (told: Usage): Usage =>
  Object.fromEntries(Object.entries(told).filter(([, count]) => isCount(count)))

const isCount = (count: unknown): boolean => typeof count !== 'number' || (count >= -MOST && count <= MOST)

function counted(view: View, told: Usage): View {
  const { usage: _, ...rest } = view
  const usage = countsOf(told)
  return Object.keys(usage).length === 0 ? rest : { ...rest, usage }
}

/** A shape that sessions can be written in. */
export interface Writable extends Variant {
  /** In `--format`. */
  readonly name: string
  /** The dialect that its own entries are of. */
  readonly dialect: string
  /** The format that reads it; undefined if none does. */
  readonly format?: Format
}

/** All shapes that can be written. */
export const WRITABLE: readonly Writable[] = [
  ...FORMATS.flatMap(shapesOf),
  { name: 'markdown', dialect: 'markdown', writer: markdown },
  { name: 'html', dialect: 'html', writer: html },
]

function shapesOf(format: Format): Writable[] {
  const { name, dialect, writer, agent, variants = {} } = format
  const usual = writer && { writer, ...(agent && { agent }) }
  return Object.entries({ ...(usual && { [name]: usual }), ...variants }).map(([shape, variant]) => ({
    name: shape,
    dialect,
    format,
    ...variant,
  }))
}

/** Returns the writable shape with a name. */
export const writableNamed = (name: string): Writable | undefined =>
  WRITABLE.find((format) => format.name === name)
