import type { Json } from '../model/json.ts'
import { light, type Usage, type View } from '../model/view.ts'
import { aider } from './aider.ts'
import { amp } from './amp.ts'
import { antigravity } from './antigravity.ts'
import { claude, claudeWeb } from './claude-code/index.ts'
import { isJournal } from './claude-code/workflows.ts'
import { cline, clineAbout, clineSession, clineUi } from './cline.ts'
import { codex, codexDocument } from './codex/index.ts'
import { continueDev } from './continue.ts'
import { copilot } from './copilot-cli.ts'
import type { Format, SidecarFiles } from './core/format.ts'
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
import { grok, grokSummary } from './grok/index.ts'
import { grokUpdates } from './grok/updates.ts'
import { kimi, kimiState } from './kimi.ts'
import { kiroDatabase } from './kiro/conversations.ts'
import { kiro, kiroAbout } from './kiro/index.ts'
import { ohMyPi } from './oh-my-pi.ts'
import { clawdbot, openclaw } from './openclaw.ts'
import { kilo, opencode } from './opencode/index.ts'
import { pi } from './pi/index.ts'
import { qwen } from './qwen-code.ts'
import { rollouts, rolloutsSession } from './rollouts/index.ts'
import { native } from './sess.ts'
import { vibe } from './vibe.ts'
import { windsurf } from './windsurf.ts'

/** A format that is loaded at its first use. */
export interface ListedFormat {
  readonly name: string
  readonly dialect: string
  /** Whether its sessions may have sidecar files. */
  readonly hasSidecars?: boolean
  readonly load: () => Format
}

/**
 * The dialect is the name unless it is named. The bundle copies the exports of a module each time that it is asked for, so
 * the format is kept: to ask for it at each entry was a tenth of the time of a search.
 */
function listed(
  name: string,
  load: () => Format,
  more: Partial<Pick<ListedFormat, 'dialect' | 'hasSidecars'>> = {},
): ListedFormat {
  let loaded: Format | undefined
  return { name, dialect: name, load: () => (loaded ??= load()), ...more }
}

/**
 * All formats, in the order in which they are asked whether a source is theirs. The bundle of the command line loads the
 * module of each at its first use: most commands view entries of one dialect, and all modules take 12 ms.
 */
export const FORMATS: readonly ListedFormat[] = [
  listed('sess', () => native),
  listed('claude-code', () => claude, { dialect: 'claude', hasSidecars: true }),
  listed('claude-web', () => claudeWeb),
  listed('codex', () => codex),
  listed('codex-json', () => codexDocument),
  listed('dash', () => dash),
  listed('rollouts', () => rollouts, { hasSidecars: true }),
  listed('rollouts-session', () => rolloutsSession),
  listed('index-tree', () => indexTree, { dialect: 'draft' }),
  listed('uuid-tree', () => uuidTree, { dialect: 'draft' }),
  listed('openclaw', () => openclaw),
  listed('oh-my-pi', () => ohMyPi, { dialect: 'omp', hasSidecars: true }),
  listed('pi', () => pi),
  listed('gemini-cli', () => gemini, { dialect: 'gemini' }),
  listed('qwen-code', () => qwen, { dialect: 'qwen' }),
  listed('kimi', () => kimi, { hasSidecars: true }),
  listed('kimi-state', () => kimiState),
  listed('grok', () => grok, { hasSidecars: true }),
  listed('grok-updates', () => grokUpdates, { hasSidecars: true }),
  listed('grok-summary', () => grokSummary),
  listed('kiro', () => kiro, { hasSidecars: true }),
  listed('kiro-session', () => kiroAbout),
  listed('vibe', () => vibe, { hasSidecars: true }),
  listed('antigravity', () => antigravity),
  listed('windsurf', () => windsurf),
  listed('copilot-cli', () => copilot, { dialect: 'copilot', hasSidecars: true }),
  listed('droid', () => droid, { hasSidecars: true }),
  listed('droid-settings', () => droidSettings),
  listed('cursor', () => cursor),
  listed('clawdbot', () => clawdbot),
  listed('amp', () => amp),
  listed('continue', () => continueDev),
  listed('cline', () => cline),
  listed('cline-cli', () => clineSession),
  listed('cline-ui', () => clineUi),
  listed('cline-session', () => clineAbout),
  listed('aider', () => aider),
  listed('kilo', () => kilo, { dialect: 'opencode' }),
  listed('opencode', () => opencode),
  listed('crush', () => crush),
  listed('goose', () => goose),
  listed('kiro-database', () => kiroDatabase),
  listed('cursor-chat', () => cursorChat),
  listed('jsonl', () => genericLines),
  listed('json', () => genericDocument),
  listed('bytes', () => opaque),
]

const byName = new Map(FORMATS.map((one) => [one.name, one]))
const byDialect = new Map(FORMATS.map((one) => [one.dialect, one.load]))

/** The names of formats and of their dialects, by which users name agents. */
export const FORMAT_NAMES: readonly string[] = [
  ...new Set(FORMATS.flatMap(({ name, dialect }) => [dialect, name])),
]

/** Returns the first format that takes a source. */
export const detectFormat = (sample: Sample): Format =>
  (FORMATS.find(({ load }) => load().detect(sample))?.load ?? (() => opaque))()

/** Returns the format of a name. */
export const formatNamed = (name: string): Format | undefined => byName.get(name)?.load()

/** Returns where the sidecar files of a format's sessions are; undefined where they have none. Loads few formats. */
export function sidecarsOf(name: string): SidecarFiles | undefined {
  const known = byName.get(name)
  return known?.hasSidecars ? known.load().sidecars : undefined
}

/** Returns whether a source is part of a session that is in another file. */
export const isSidecar = (sample: Sample): boolean => isJournal(sample)

/** Returns whether a format, by its name, is that of an agent: it has this name or this dialect. Loads no format. */
export const isOfAgent = (format: string, agent: string): boolean =>
  format === agent || FORMATS.some(({ name, dialect }) => name === format && dialect === agent)

/**
 * Returns the view of an entry, from its type and body; for an unknown dialect, a guess. The value of its record adds
 * the usage that the body leaves out.
 */
export const viewOf = (type: string, body: Json, record?: Json): View => light(fullViewOf(type, body, record))

/** Returns the same with the seals of thoughts and with the content of images. */
export function fullViewOf(type: string, body: Json, record?: Json): View {
  const { format, kind } = type === last.type ? last : (last = kindOf(type))
  const parsed = format ? format.view(kind, body) : guessView(body)
  const found = record === undefined ? undefined : format?.usage?.[kind]?.(record)
  const view = found ? { ...parsed, usage: { ...parsed.usage, ...found } } : parsed
  const { usage } = view
  return usage === undefined || isSound(usage) ? view : counted(view, usage)
}

/** Returns whether the record of an entry of this type may hold usage that its body leaves out. */
export function isUsageInRecord(type: string): boolean {
  const { format, kind } = type === last.type ? last : (last = kindOf(type))
  return format?.usage !== undefined && Object.hasOwn(format.usage, kind)
}

/** Returns the value of a unit that carries an entry of this type, from its bytes; undefined if they hold none. */
export function parseUnit(type: string, bytes: Uint8Array): Json | undefined {
  const splitter = kindOf(type).format?.splitter()
  if (!splitter) return undefined
  const units = [...splitter.push(bytes), ...splitter.push(NEWLINE), ...splitter.end().units]
  return units.find(({ value }) => value !== undefined)?.value
}

/** Ends a line whose bytes are those of one unit. */
const NEWLINE = Uint8Array.of(10)

/** Returns whether an entry of this type, or its record, may hold usage: else only later records report it. */
export function isUsageInEntry(type: string): boolean {
  const { format } = type === last.type ? last : (last = kindOf(type))
  return format?.counter === undefined
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
  return { type, format: byDialect.get(dialect)?.(), kind: slash < 0 ? '' : type.slice(slash + 1) }
}

/** That of the last entry: the next one most often has it too. */
let last = kindOf('')

const isSound = ({ input, output, cacheRead, cacheWrite, cacheWriteLong, cost }: Usage): boolean =>
  isCount(input) &&
  isCount(output) &&
  isCount(cacheRead) &&
  isCount(cacheWrite) &&
  isCount(cacheWriteLong) &&
  isCount(cost)

/** More than any model call took: sums of such counts, and of numbers that no double holds, say nothing. */
const MAX_TOKENS = 1e12

/** Returns those counts of a usage that may be some. */
export const countsOf = (usage: Usage): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => isCount(count)))

const isCount = (count: unknown): boolean => typeof count !== 'number' || (count >= 0 && count <= MAX_TOKENS)

function counted(view: View, reported: Usage): View {
  const { usage: _, ...rest } = view
  const usage = countsOf(reported)
  return Object.keys(usage).length === 0 ? rest : { ...rest, usage }
}
