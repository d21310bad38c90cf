import type { KnownFormat } from '../formats/core/known.ts'
import { FORMAT_NAMES, FORMATS, formatNamed, isOfAgent } from '../formats/registry.ts'
import { writableNamed } from '../formats/writable.ts'
import { SessError } from '../model/errors.ts'
import type { UnknownNames } from '../model/unknownnames.ts'
import { isNewer, newestOf } from '../model/version.ts'
import type { Repo } from '../repo/repo.ts'
import { allTrunks, type SessionTrunk, type SourceHead } from '../repo/session.ts'

export { FORMAT_NAMES } from '../formats/registry.ts'

/** A type or field of records that no reader knows. */
export interface UnknownName {
  readonly name: string
  /** How many records, or objects in them, have it. */
  readonly count: number
  /** The sessions in whose sources it is, in the order of their ids. */
  readonly sessions: readonly string[]
}

/** A format, and its sessions in a store. */
export interface FormatState {
  readonly format: string
  /** The newest version of its agent that its page in the docs was written for. */
  readonly written: string
  /** The newest version that wrote one of the sessions; null if none says it. */
  readonly seen: string | null
  /** Whether that one is newer. */
  readonly newer: boolean
  readonly sessions: number
  readonly types: readonly UnknownName[]
  readonly fields: readonly UnknownName[]
  /** How many types and fields occurred whose names were not kept. */
  readonly more: number
}

/** Returns the error for a format that none of the known names is. */
const unknownFormat = (name: string, names: readonly string[]): SessError =>
  new SessError('bad-usage', `no format is called '${name}'`, {
    typed: name,
    choices: names,
    hint: `sess knows ${names.join(', ')}`,
  })

/** Throws `bad-usage` for a format that no reader reads. */
export function checkFormat(name: string): void {
  if (!FORMAT_NAMES.includes(name)) throw unknownFormat(name, FORMAT_NAMES)
}

/** The names of the formats of which it is declared what they know. */
const knownFormats = (): readonly string[] =>
  FORMATS.flatMap(({ name, load }) => (load().known ? [name] : []))

/**
 * Lists the formats, or those of one agent, with what is not known of their sessions. Reads no transcript. Throws
 * `bad-usage` for an agent without formats.
 */
export async function listFormats(repo: Repo, agent?: string): Promise<FormatState[]> {
  const states = new Map<string, StateOfFormat>()
  for (const { name, load } of FORMATS) {
    const { known } = load()
    if (known && (agent === undefined || isOfAgent(name, agent)))
      states.set(name, new StateOfFormat(name, known))
  }
  if (agent !== undefined && states.size === 0) throw unknownFormat(agent, knownFormats())
  await repo.read(async (reader) => {
    for await (const session of allTrunks(reader))
      for (const [format, head] of sourcesOf(session)) states.get(format)?.add(session.id, head)
  })
  return Array.from(states.values(), (state) => state.listed)
}

/** Returns the sources of a session, each with the name of its format: its own, and those that agents wrote on. */
function sourcesOf({ meta, source, exports }: SessionTrunk): (readonly [string, SourceHead])[] {
  const own = source ? [[meta.format, source] as const] : []
  const others = [...exports.values()].flatMap((head) => {
    const format = writableNamed(head.format)?.format ?? formatNamed(head.format)
    return format && head.count > 0 ? [[format.name, head] as const] : []
  })
  return [...own, ...others]
}

/** Counts of a name, and the sessions that have it. */
interface NameSum {
  count: number
  readonly sessions: Set<string>
}

class StateOfFormat {
  readonly #name: string
  readonly #known: KnownFormat
  readonly #sessions = new Set<string>()
  readonly #sums = { types: new Map<string, NameSum>(), fields: new Map<string, NameSum>() }
  #seen: string | undefined
  #more = 0

  constructor(name: string, known: KnownFormat) {
    this.#name = name
    this.#known = known
  }

  /** Adds a source of a session. */
  add(session: string, { version, unknown }: SourceHead): void {
    this.#sessions.add(session)
    this.#seen = newestOf([this.#seen, version])
    if (!unknown) return
    const { types, fields, more = 0 }: UnknownNames = this.#known.without(unknown)
    this.#more += more
    for (const [sums, names] of [
      [this.#sums.types, types],
      [this.#sums.fields, fields],
    ] as const)
      for (const [name, count] of names) {
        const sum = sums.get(name) ?? { count: 0, sessions: new Set() }
        sum.count += count
        sum.sessions.add(session)
        sums.set(name, sum)
      }
  }

  get listed(): FormatState {
    const { written } = this.#known
    const seen = this.#seen ?? null
    return {
      format: this.#name,
      written,
      seen,
      newer: seen !== null && isNewer(seen, written),
      sessions: this.#sessions.size,
      types: listedNames(this.#sums.types),
      fields: listedNames(this.#sums.fields),
      more: this.#more,
    }
  }
}

/** The most frequent ones first. */
const listedNames = (sums: ReadonlyMap<string, NameSum>): UnknownName[] =>
  Array.from(sums, ([name, { count, sessions }]) => ({ name, count, sessions: [...sessions] })).sort(
    (a, b) => b.count - a.count || (a.name < b.name ? -1 : 1),
  )
