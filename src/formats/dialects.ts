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
import type { Format } from './core/format.ts'
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
import { kimi, kimiState } from './kimi.ts'
import { kiro, kiroAbout } from './kiro.ts'
import { ohMyPi } from './oh-my-pi.ts'
import { clawdbot, openclaw } from './openclaw.ts'
import { opencode } from './opencode/index.ts'
import { pi } from './pi/index.ts'
import { qwen } from './qwen-code.ts'
import { rollouts, rolloutsSession } from './rollouts/index.ts'
import { native } from './sess.ts'
import { vibe } from './vibe.ts'
import { windsurf } from './windsurf.ts'

/**
 * All formats by their dialects, in the order in which they are asked whether a source is theirs. Each is behind a
 * function: the bundle of the command line loads the module of a format at its first use, because most commands view
 * entries of one dialect.
 */
export const DIALECTS: readonly (readonly [dialect: string, format: () => Format])[] = [
  ['sess', () => native],
  ['claude', () => claude],
  ['claude-web', () => claudeWeb],
  ['codex', () => codex],
  ['codex-json', () => codexDocument],
  ['dash', () => dash],
  ['rollouts', () => rollouts],
  ['rollouts-session', () => rolloutsSession],
  ['draft', () => indexTree],
  ['draft', () => uuidTree],
  ['openclaw', () => openclaw],
  ['omp', () => ohMyPi],
  ['pi', () => pi],
  ['gemini', () => gemini],
  ['qwen', () => qwen],
  ['kimi', () => kimi],
  ['kimi-state', () => kimiState],
  ['grok', () => grok],
  ['grok-summary', () => grokSummary],
  ['kiro', () => kiro],
  ['kiro-session', () => kiroAbout],
  ['vibe', () => vibe],
  ['antigravity', () => antigravity],
  ['windsurf', () => windsurf],
  ['copilot', () => copilot],
  ['droid', () => droid],
  ['droid-settings', () => droidSettings],
  ['cursor', () => cursor],
  ['clawdbot', () => clawdbot],
  ['amp', () => amp],
  ['continue', () => continueDev],
  ['cline', () => cline],
  ['cline-cli', () => clineSession],
  ['cline-ui', () => clineUi],
  ['cline-session', () => clineAbout],
  ['aider', () => aider],
  ['opencode', () => opencode],
  ['crush', () => crush],
  ['goose', () => goose],
  ['cursor-chat', () => cursorChat],
  ['jsonl', () => genericLines],
  ['json', () => genericDocument],
  ['bytes', () => opaque],
]

/** The last format of each dialect: all of one dialect view their entries alike. */
const FORMATS: ReadonlyMap<string, () => Format> = new Map(DIALECTS)

/** Returns the names of the formats of a dialect. */
export const namesOfDialect = (dialect: string): string[] =>
  DIALECTS.flatMap(([one, format]) => (one === dialect ? [format().name] : []))

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
  return { type, format: FORMATS.get(dialect)?.(), kind: slash < 0 ? '' : type.slice(slash + 1) }
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
