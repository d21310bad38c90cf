import { isObject, type Json } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { jsonLines } from './jsonlines.ts'
import { eachUnit, type Splitter, type Unit } from './splitter.ts'

/** The size of slices in which the head is split, so that bytes that are not needed are not parsed. */
const SLICE = 16 << 10

/**
 * The first bytes of a source, split as far as their units were requested. The reader of the source continues from
 * there.
 */
export class HeadUnits {
  readonly #make: () => Splitter
  readonly #splitter: Splitter
  readonly #head: Uint8Array
  readonly #whole: boolean
  readonly #units: Unit[] = []
  /** The units into which other splitters split the bytes. */
  readonly #others = new Map<() => Splitter, HeadUnits>()
  #at = 0
  #ended: ReturnType<Splitter['end']> | undefined
  #isTaken = false

  /** `whole` is whether the source ends with these bytes. */
  constructor(make: () => Splitter, head: Uint8Array, whole: boolean) {
    this.#make = make
    this.#splitter = make()
    this.#head = head
    this.#whole = whole
  }

  /** Returns the same bytes as a splitter splits them: the same each time. */
  by(make: () => Splitter): HeadUnits {
    if (make === this.#make) return this
    const other = this.#others.get(make) ?? new HeadUnits(make, this.#head, this.#whole)
    this.#others.set(make, other)
    return other
  }

  /** Returns the units, in order and only as they are asked for. */
  *units(): Generator<Unit> {
    for (let i = 0; ; i++) {
      while (i >= this.#units.length) if (!this.#split()) return
      yield this.#units[i] as Unit
    }
  }

  #split(): boolean {
    if (this.#at < this.#head.length) {
      const end = Math.min(this.#at + SLICE, this.#head.length)
      this.#units.push(...this.#splitter.push(this.#head.subarray(this.#at, end)))
      this.#at = end
      return true
    }
    if (!this.#whole || this.#ended) return false
    this.#ended = this.#splitter.end()
    this.#units.push(...this.#ended.units)
    return true
  }

  /**
   * Returns a splitter for the source from its first byte on, which splits nothing twice; undefined after the first
   * call. No units may be requested afterwards.
   */
  take(): Splitter | undefined {
    if (this.#isTaken) return undefined
    this.#isTaken = true
    const inner = this.#splitter
    const ended = this.#ended
    const units = this.#units
    let skip = this.#at
    const unseen = (bytes: Uint8Array): Uint8Array => {
      const known = Math.min(skip, bytes.length)
      skip -= known
      return bytes.subarray(known)
    }
    return {
      ...inner,
      push: (bytes) => [...units.splice(0), ...inner.push(unseen(bytes))],
      ...(inner.each && {
        *each(bytes: Uint8Array) {
          yield* units.splice(0)
          yield* eachUnit(inner, unseen(bytes))
        },
      }),
      end: () => (ended ? { ...ended, units: this.#units.splice(0) } : inner.end()),
    }
  }
}

const MOST_OBJECTS = 50
const NEWLINE = 10

/** Makes a sample of a source's names, its first bytes and its size. What a line holds is salvaged as in reading. */
export function sampleOf(
  name: string,
  head: Uint8Array,
  size: number,
  folder = '',
  above: readonly string[] = [],
): Sample {
  const whole = head.length === size
  const beginning = new HeadUnits(jsonLines, head, whole)
  const lines = objectsOnLines(head, whole) ?? objectsIn(beginning.units())
  return { name, folder, above, head, lines, whole, headUnits: beginning }
}

function objectsIn(units: Iterable<Unit>): Json[] {
  const objects: Json[] = []
  for (const { value } of units) {
    if (isObject(value)) objects.push(value)
    if (objects.length === MOST_OBJECTS) break
  }
  return objects
}

/** Returns the objects that are whole lines; undefined where a line before the last of them is no JSON as it is. */
function objectsOnLines(head: Uint8Array, whole: boolean): Json[] | undefined {
  const objects: Json[] = []
  for (let from = 0; from < head.length && objects.length < MOST_OBJECTS; ) {
    const newline = head.indexOf(NEWLINE, from)
    if (newline < 0 && !whole) break
    const to = newline < 0 ? head.length : newline
    const value = to === from ? undefined : tryParse(utf8.decode(head.subarray(from, to)))
    if (value === undefined && to > from) return undefined
    if (isObject(value)) objects.push(value)
    from = to + 1
  }
  return objects
}

/** A format, of which only the splitter matters here. */
interface Splits {
  readonly splitter: () => Splitter
}

/** Returns the units with which a source begins, as a format splits it, in order and only as they are asked for. */
export const unitsIn = (
  { head, whole, headUnits: beginning }: Sample,
  { splitter }: Splits,
): Iterable<Unit> => (beginning?.by(splitter) ?? new HeadUnits(splitter, head, whole)).units()

/** Returns a splitter for a source of a format, which reuses the units that were split for the detection. */
export const splitterFor = (
  { splitter }: Splits,
  { headUnits: beginning }: Pick<Sample, 'headUnits'>,
): Splitter => beginning?.by(splitter).take() ?? splitter()

const utf8 = new TextDecoder()

/** Returns the first 4 KiB of a source as text. */
export const startText = (head: Uint8Array): string => utf8.decode(head.subarray(0, 4096))

/** Returns a test of whether a source begins in some way, within its first 4 KiB. */
export const beginsAs =
  (pattern: RegExp) =>
  ({ head }: Sample): boolean =>
    pattern.test(startText(head))

const texts = new WeakMap<Uint8Array, string>()

/** Returns the first bytes of a source as text: decoded once, whatever formats look at it. */
export function headText(head: Uint8Array): string {
  const known = texts.get(head)
  if (known !== undefined) return known
  const text = utf8.decode(head)
  texts.set(head, text)
  return text
}

/** The beginning of a source, from which its format is recognised. */
export interface Sample {
  /** The file's name without its folders. */
  readonly name: string
  /** The name of its folder. */
  readonly folder?: string
  /** The names of the folders above that, the nearest first. Not all of them. */
  readonly above?: readonly string[]
  /** Its first bytes, at most 256 KiB. */
  readonly head: Uint8Array
  /** The JSON objects on the complete lines of `head`, at most 50, and whether `head` is the whole file. */
  readonly lines: readonly Json[]
  readonly whole: boolean
  /** The units of `head`, which were split to find `lines` and are not split again. */
  readonly headUnits?: HeadUnits
}
