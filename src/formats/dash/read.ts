import { asString, field, isObject, type JsonObject } from '../../model/json.ts'
import type { Facts, ParsedEntry, Reader, Reading, RecordIndex } from '../format.ts'
import { IdMap } from '../idmap.ts'
import { lackedIn, NO_ID } from '../lacking.ts'
import { given } from '../linearreader.ts'
import { NONE, Nodes } from '../nodes.ts'
import { millis } from '../pi/time.ts'
import type { Unit, Warning } from '../unit.ts'
import { bodyOf, KINDS } from './body.ts'

/** The records that carry no entry. */
const PASSED: ReadonlySet<string> = new Set(['session', 'label', 'branch_point'])

/** Reads the records of one session file of Dash, in order. */
export class DashReader implements Reader {
  readonly #nodes = new Nodes()
  readonly #ids = new IdMap()
  /** The label of each target, the one given last at the end. */
  readonly #labels = new Map<string, string>()
  /** The branch that each record belongs to, and the newest record of each branch. */
  readonly #branches: (string | undefined)[] = []
  readonly #tips = new Map<string, RecordIndex>()
  readonly #unknown = new Set<string>()
  #header: JsonObject | undefined
  #last: RecordIndex = NONE

  read({ value }: Unit): Reading {
    const at = this.#nodes.length
    if (!isObject(value) || value.type === 'session') {
      this.#nodes.skip()
      if (!isObject(value)) return {}
      this.#header ??= value
      return envelopeOf(value)
    }
    const warnings: Warning[] = []
    const kind = asString(value.type) ?? ''
    const parent = this.#parentOf(value, warnings)
    const links = kind === 'compaction' ? this.#linksOf(value, parent, warnings) : {}
    this.#nodes.add(parent, KINDS.has(kind), lackedIn(warnings, value.parentId))
    this.#note(value, kind, { at, parent }, warnings)
    const reading = { ...envelopeOf(value), ...(warnings.length > 0 && { warnings }) }
    if (!KINDS.has(kind)) return reading
    const above = this.#nodes.entryAt(parent)
    const body = bodyOf(kind, value)
    return {
      ...reading,
      entry: { type: `dash/${kind}`, body, parent: above === NONE ? null : above, ...links },
      ...given('dangling', this.#nodes.lacking(at)),
    }
  }

  active(): RecordIndex | null {
    const entry = this.#nodes.entryAt(this.#last)
    return entry === NONE ? null : entry
  }

  facts(): Facts {
    const [id, title] = [asString(field(this.#header, 'id')), asString(field(this.#header, 'name'))]
    const cwd = asString(field(this.#header, 'cwd'))
    const created = millis(field(this.#header, 'timestamp'))
    return {
      ...(id !== undefined && { id }),
      ...(title && { title }),
      ...(cwd && { cwd }),
      ...(created !== undefined && { created }),
      labels: this.#entries(
        [...this.#labels].map(([target, label]) => [label, this.#ids.get(target) ?? NONE]),
      ),
      branches: this.#entries([...this.#tips]),
    }
  }

  #entries(named: readonly (readonly [name: string, at: RecordIndex])[]): ReadonlyMap<string, RecordIndex> {
    const entries = named.map(([name, at]) => [name, this.#nodes.entryAt(at)] as const)
    return new Map(entries.filter(([, at]) => at !== NONE))
  }

  #parentOf(value: JsonObject, warnings: Warning[]): RecordIndex {
    const id = value.parentId
    if (id === null || id === undefined) return NONE
    const parent = this.#ids.get(asString(id) ?? '')
    if (parent === undefined)
      warnings.push({ code: 'dangling-parent', message: 'its parent was not read before: a root' })
    return parent ?? NONE
  }

  #linksOf(value: JsonObject, parent: RecordIndex, warnings: Warning[]): Pick<ParsedEntry, 'links'> {
    const target = this.#ids.get(asString(value.firstKeptEntryId) ?? '')
    const firstKept = target === undefined ? undefined : this.#nodes.entryFrom(target, parent)
    if (firstKept !== undefined) return { links: { firstKept } }
    // One that names itself keeps nothing.
    if (value.firstKeptEntryId !== undefined && value.firstKeptEntryId !== value.id)
      warnings.push({
        code: 'dangling-target',
        message: 'firstKeptEntryId is no entry before it on its path',
      })
    return {}
  }

  /** Remembers what later records and the facts may ask of this one. */
  #note(
    value: JsonObject,
    kind: string,
    { at, parent }: { readonly at: RecordIndex; readonly parent: RecordIndex },
    warnings: Warning[],
  ): void {
    this.#last = at
    const native = asString(value.id)
    if (native !== undefined && this.#ids.has(native))
      warnings.push({
        code: 'duplicate-id',
        message: `the id '${native}' is taken; it names its first record`,
      })
    else if (native !== undefined) this.#ids.set(native, at)
    else if (KINDS.has(kind)) warnings.push(NO_ID)
    const named = kind === 'branch_point' ? asString(value.branchName) : undefined
    const branch = named ?? (parent === NONE ? undefined : this.#branches[parent])
    this.#branches[at] = branch
    if (branch !== undefined) this.#tips.set(branch, at)
    if (kind === 'label') this.#label(asString(value.targetId), asString(value.label))
    if (KINDS.has(kind) || PASSED.has(kind) || this.#unknown.has(kind)) return
    this.#unknown.add(kind)
    warnings.push({ code: 'unknown-type', message: `records of type '${kind}' are kept as records only` })
  }

  #label(target: string | undefined, label: string | undefined): void {
    if (target === undefined) return
    this.#labels.delete(target)
    if (label) this.#labels.set(target, label)
  }
}

function envelopeOf(value: JsonObject): Pick<Reading, 'time' | 'native'> {
  const [time, native] = [millis(value.timestamp), asString(value.id)]
  return { ...(time !== undefined && { time }), ...(native !== undefined && { native }) }
}
