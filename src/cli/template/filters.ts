import { type Oid, short } from '../../model/encoding/oid.ts'
import { type Json, jsonText } from '../../model/json.ts'
import { firstLine, type TextStyle } from '../../text/text.ts'
import { age, minute } from '../../text/time.ts'
import { cut, pad } from '../../text/width.ts'
import type { FieldKind, TemplateSetting } from './fields.ts'

/** A filter of a template. */
export interface Filter {
  /** The kinds that it applies to. */
  readonly from: readonly FieldKind[]
  /** The kind of its result; undefined: unchanged. */
  readonly to?: FieldKind
  /** The argument that it takes: a number of columns, or a text. */
  readonly takes?: 'count' | 'text'
  /** Whether it applies also where there is no value. */
  readonly nulls?: boolean
  /** Its description, for help. */
  readonly does: string
  readonly apply: (value: Json, argument: string, setting: TemplateSetting) => Json
  /** How many times as long the result may be as the value; once where it is not given. */
  readonly growth?: (argument: string) => number
}

const ANY: readonly FieldKind[] = ['oid', 'oids', 'time', 'text', 'texts', 'number', 'other']
const TEXT: readonly FieldKind[] = ['oid', 'time', 'text', 'number', 'texts', 'oids']

/** Returns a value as text: '' for null, a space between the items of a list. */
export function textOfValue(value: Json): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOfValue).join(' ')
  return jsonText(value)
}

const onText =
  (apply: (text: string, count: number) => string) =>
  (value: Json, argument: string): Json =>
    apply(textOfValue(value), Number(argument))

/** The filters of templates, in the order in which help lists them. */
export const FILTERS: Readonly<Record<string, Filter>> = {
  short: {
    from: ['oid', 'oids'],
    to: 'text',
    does: 'the first 10 digits',
    apply: (value) => (Array.isArray(value) ? value : [value]).map((oid) => short(oid as Oid)).join(' '),
  },
  local: {
    from: ['time'],
    to: 'text',
    does: 'local time, to the minute',
    apply: (value, _, { zone }) => minute(textOfValue(value), zone),
  },
  date: {
    from: ['time'],
    to: 'text',
    does: 'the local day',
    apply: (value, _, { zone }) => minute(textOfValue(value), zone).slice(0, 10),
  },
  ago: {
    from: ['time'],
    to: 'text',
    does: 'its age: 20m, 3h, 2d; after a week the local day',
    apply: (value, _, { now, zone }) => age(textOfValue(value), now, zone),
  },
  first: { from: TEXT, to: 'text', does: 'the first line that is not blank', apply: onText(firstLine) },
  cut: { from: TEXT, to: 'text', takes: 'count', does: 'cut to at most N columns', apply: onText(cut) },
  pad: {
    from: TEXT,
    to: 'text',
    takes: 'count',
    nulls: true,
    does: 'padded to N columns',
    apply: onText(pad),
  },
  lower: { from: TEXT, to: 'text', does: 'in lower case', apply: onText((text) => text.toLowerCase()) },
  upper: { from: TEXT, to: 'text', does: 'in upper case', apply: onText((text) => text.toUpperCase()) },
  count: {
    from: ['oids', 'texts'],
    to: 'number',
    does: 'the number of items',
    apply: (value) => (Array.isArray(value) ? value.length : 0),
  },
  join: {
    from: ['oids', 'texts'],
    to: 'text',
    takes: 'text',
    does: 'items joined by a text',
    apply: (value, between) => (Array.isArray(value) ? value.map(textOfValue).join(between) : value),
  },
  or: {
    from: ANY,
    to: 'text',
    takes: 'text',
    nulls: true,
    does: 'a text in place of an empty value',
    apply: (value, otherwise) => textOfValue(value) || otherwise,
  },
  with: {
    from: ANY,
    to: 'text',
    takes: 'text',
    does: 'a text around a value that is not empty, in place of %',
    apply: (value, around) => {
      const text = textOfValue(value)
      return text === '' ? text : around.replaceAll('%', () => text)
    },
    growth: (around) => around.split('%').length - 1,
  },
  json: {
    from: ANY,
    to: 'text',
    nulls: true,
    does: 'as JSON',
    apply: (value) => jsonText(value),
    growth: () => 2,
  },
}

/** The looks that a value can be given like filters. */
export const LOOKS: readonly TextStyle[] = [
  'dim',
  'bold',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
]
