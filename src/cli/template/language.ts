import { SessError, type Span } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { type Line, styled, type TextStyle } from '../../text/text.ts'
import type { FieldKind, TemplateField, TemplateFields, TemplateSetting } from './fields.ts'
import { FILTERS, type Filter, LOOKS, textOfValue } from './filters.ts'

/** Returns the line of an item. */
export type Template<T> = ((thing: T, setting: TemplateSetting) => Line) & {
  /** Whether one of its fields shows what an entry adds to its model call. */
  readonly usesUsage: boolean
}

/** A piece of a template: words as they are, or a field through filters. */
type TemplatePart<T> = string | Slot<T>

interface Slot<T> {
  readonly field: TemplateField<T>
  readonly filters: readonly { readonly filter: Filter; readonly argument: string }[]
  readonly look: TextStyle
}

/**
 * Reads a template: text, `\n` and `\t` in it, and fields in braces: `{oid.short} {text|first|cut 60}`. It does nothing
 * but show fields through the filters that there are. Throws `bad-template` with the place that is wrong.
 */
export function parseTemplate<T>(source: string, fields: TemplateFields<T>): Template<T> {
  const parts = new TemplateParser(source, fields).parts()
  const line = (thing: T, setting: TemplateSetting): Line =>
    parts.map((part) => (typeof part === 'string' ? part : styled(part.look, shown(part, thing, setting))))
  const usesUsage = parts.some((part) => typeof part !== 'string' && part.field.isUsage === true)
  return Object.assign(line, { usesUsage })
}

function shown<T>({ field, filters }: Slot<T>, thing: T, setting: TemplateSetting): string {
  let value: Json = field.of(thing, setting)
  for (const { filter, argument } of filters) {
    const size = typeof value === 'string' ? value.length * (filter.growth?.(argument) ?? 1) : 0
    if (size > MAX_LENGTH)
      throw new SessError('bad-template', 'what its filters make of an entry is too long')
    if (value !== null || filter.nulls) value = filter.apply(value, argument, setting)
  }
  return textOfValue(value)
}

/** The filters of a field may repeat it this many times. */
const MAX_GROWTH = 64

/** A filter may make a text of this many UTF-16 units. */
const MAX_LENGTH = 1 << 27

const PLAIN = /(?:\\.|[^\\{}])+/suy
const SPACE = /\s*/uy
const NAME = /[\p{L}_][\p{L}\p{N}_-]*/uy
const NEXT = /[.|]/uy
const ARGUMENT = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s|{}"']+)/suy
const CLOSE = /\}/uy

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
])

const unescaped = (text: string): string =>
  text.replace(/\\(.)/gsu, (_, char: string) => ESCAPES.get(char) ?? char)

class TemplateParser<T> {
  readonly #source: string
  readonly #fields: TemplateFields<T>
  #at = 0

  constructor(source: string, fields: TemplateFields<T>) {
    this.#source = source
    this.#fields = fields
  }

  parts(): TemplatePart<T>[] {
    const parts: TemplatePart<T>[] = []
    while (this.#at < this.#source.length) {
      const text = this.#take(PLAIN)
      if (text) parts.push(unescaped(text[0]))
      else if (this.#source[this.#at] === '{') parts.push(this.#slot())
      else
        throw this.#wrong(
          this.#here(),
          'this brace opens or closes nothing',
          "write '\\{' and '\\}' for braces",
        )
    }
    return parts
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#source)
    if (match) this.#at = pattern.lastIndex
    return match
  }

  #here = (): Span => ({ from: this.#at, to: Math.min(this.#source.length, this.#at + 1) })

  #wrong({ from, to }: Span, message: string, hint?: string, choices: readonly string[] = []): SessError {
    const usual = "type 'sess help templates' for the language"
    return new SessError('bad-template', message, {
      at: { text: this.#source, from, to },
      choices,
      hint: hint === undefined ? usual : `${hint}; ${usual}`,
    })
  }

  /** Reads a name, with its position. */
  #name(what: string): Span & { readonly name: string } {
    this.#take(SPACE)
    const from = this.#at
    const name = this.#take(NAME)?.[0]
    if (name === undefined) throw this.#wrong(this.#here(), `here the name of a ${what} must stand`)
    return { name, from, to: this.#at }
  }

  #slot(): Slot<T> {
    const open: Span = { from: this.#at, to: ++this.#at }
    const { name, ...at } = this.#name('field')
    const field = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined
    if (!field) throw this.#unknown(at, `'${name}' is no field`, Object.keys(this.#fields))
    let kind = field.kind
    let look: TextStyle = 'plain'
    let growth = 1
    const filters: { filter: Filter; argument: string }[] = []
    for (;;) {
      this.#take(SPACE)
      if (this.#take(CLOSE)) return { field, filters, look }
      if (this.#at === this.#source.length) throw this.#wrong(open, 'the brace is never closed')
      if (!this.#take(NEXT)) throw this.#wrong(this.#here(), "here '|', '.' or '}' must stand")
      const next = this.#name('filter')
      const color = LOOKS.find((one) => one === next.name)
      if (color) look = color
      else {
        const { filter, argument } = this.#filter(next, kind)
        growth *= Math.max(1, filter.growth?.(argument) ?? 1)
        if (growth > MAX_GROWTH)
          throw this.#wrong(next, `the filters of a field may repeat it ${MAX_GROWTH} times at most`)
        filters.push({ filter, argument })
        kind = filter.to ?? kind
      }
    }
  }

  #unknown(at: Span, message: string, names: readonly string[]): SessError {
    return this.#wrong(at, message, `there are ${names.join(', ')}`, names)
  }

  #filter(
    { name, ...at }: Span & { readonly name: string },
    kind: FieldKind,
  ): { readonly filter: Filter; readonly argument: string } {
    const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined
    if (!filter) throw this.#unknown(at, `'${name}' is no filter`, [...Object.keys(FILTERS), ...LOOKS])
    if (!filter.from.includes(kind))
      throw this.#wrong(
        at,
        `'${name}' takes ${filter.from.map((one) => NAMED[one]).join(' or ')}, not ${NAMED[kind]}`,
      )
    if (!filter.takes) return { filter, argument: '' }
    this.#take(SPACE)
    const from = this.#at
    const [, double, single, word] = this.#take(ARGUMENT) ?? []
    const argument = double ?? single ?? word
    const wants = filter.takes === 'count' ? 'a number' : 'a text'
    if (argument === undefined)
      throw this.#wrong(at, `'${name}' takes ${wants}`, `such as '${name} ${SUCH[filter.takes]}'`)
    if (filter.takes === 'count' && !/^\d{1,6}$/.test(argument))
      throw this.#wrong({ from, to: this.#at }, `'${argument}' is no number`)
    return { filter, argument: word ?? unescaped(argument) }
  }
}

const SUCH = { count: '60', text: '"-"' } as const

const NAMED: Readonly<Record<FieldKind, string>> = {
  oid: 'an oid',
  oids: 'oids',
  time: 'a time',
  text: 'a text',
  texts: 'a list',
  number: 'a number',
  other: 'a value',
}
