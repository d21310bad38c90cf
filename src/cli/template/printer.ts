import { SessError } from '../../model/errors.ts'
import { type Line, styled, textOfPiece } from '../../text/text.ts'
import { pricesIn } from '../../verbs/settingvalues.ts'
import type { Invocation } from '../invocation.ts'
import { bareOption, entryFormat, type InputOf, text } from '../parameters.ts'
import type { ItemFormat, ItemFormats, Setup, TemplateFields } from './fields.ts'
import { parseTemplate } from './language.ts'

/** How things of one kind can be shown. */
export interface Showing<T> {
  readonly fields: TemplateFields<T>
  readonly formats: ItemFormats<T>
}

/** The options that say how things are shown. */
export const TEMPLATE_OPTIONS = {
  template: bareOption(text('template'), 'show each by a template or format: see sess help templates', {
    short: 'T',
    excludes: ['format'],
  }),
  format: bareOption(entryFormat(), 'show each in a format: see sess help templates'),
}

/** Their values: true where an option was given without one. */
type TemplateInput = InputOf<typeof TEMPLATE_OPTIONS>

/** Prints one thing after another. */
export type Printer<T> = ((thing: T, names: Setup['names'], sessions?: Setup['sessions']) => Promise<void>) &
  Required<Pick<ItemFormat<T>, 'usesUsage'>>

/** Returns whether options say how things are shown. */
export const isAsked = ({ template, format }: TemplateInput): boolean => (template ?? format) !== undefined

/**
 * Returns a printer for the options: JSON with `--json`, else the format asked for or the default. Throws
 * `bad-template`, and `bad-usage` with the known formats.
 */
export function printerOf<T>(
  call: Invocation,
  { template, format }: TemplateInput,
  showing: Showing<T>,
  usual: string,
): Printer<T> {
  const asked = template ?? format
  if (asked === undefined) return printing(call, formatNamed(call.io.json ? 'json' : usual, false, showing))
  if (call.io.json)
    throw new SessError('bad-usage', '--json says already how things are shown', { hint: HELP })
  return printing(call, formatNamed(asked, template !== undefined, showing))
}

const HELP = "type 'sess help templates' to see what there is"

function formatNamed<T>(
  asked: string | true,
  isTemplate: boolean,
  { fields, formats }: Showing<T>,
): ItemFormat<T> {
  const names = Object.keys(formats)
  const there = `formats: ${names.join(', ')}; fields: ${Object.keys(fields).join(', ')}; ${HELP}`
  if (asked === true)
    throw new SessError('bad-usage', isTemplate ? 'no template was given' : 'no format was named', {
      hint: there,
    })
  const format = Object.hasOwn(formats, asked) ? formats[asked] : undefined
  if (format) return format
  if (!isTemplate || !/[{}\s]/.test(asked))
    throw new SessError('bad-template', `'${asked}' is no format${isTemplate ? ' and has no field' : ''}`, {
      hint: there,
      at: { text: asked, from: 0, to: asked.length },
      choices: names,
    })
  const shown = parseTemplate(asked, fields)
  const { usesUsage } = shown
  return { is: 'a template', usesUsage, lines: (thing, setup) => [withoutNewline(shown(thing, setup))] }
}

/** Each line is ended when it is printed: what ends with a newline ends no second one. */
function withoutNewline(line: Line): Line {
  const last = line.at(-1)
  if (last === undefined || !textOfPiece(last).endsWith('\n')) return line
  const shown = textOfPiece(last).slice(0, -1)
  return [...line.slice(0, -1), typeof last === 'string' ? shown : styled(last.look, shown)]
}

function printing<T>(call: Invocation, format: ItemFormat<T>): Printer<T> {
  const { io } = call
  const priceOf = pricesIn(call.config)
  let first = true
  const print = async (thing: T, names: Setup['names'], sessions?: Setup['sessions']): Promise<void> => {
    if ('data' in format) {
      await io.data(format.data(thing))
      return
    }
    if (format.apart && !first) await io.print()
    first = false
    const setup = { ...call.display, priceOf, names, ...(sessions && { sessions }) }
    for (const line of format.lines(thing, setup)) await io.print(...line)
  }
  return Object.assign(print, { usesUsage: format.usesUsage ?? false })
}
