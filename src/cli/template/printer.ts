import type { Command } from 'commander'
import { SessError } from '../../model/errors.ts'
import type { Call } from '../call.ts'
import type { Line } from '../render/line.ts'
import { styled, textOfPiece } from '../style.ts'
import type { Fields } from './fields.ts'
import type { Format, Formats, Setup } from './formats.ts'
import { parseTemplate } from './template.ts'

/** How things of one kind can be shown. */
export interface Showing<T> {
  readonly fields: Fields<T>
  readonly formats: Formats<T>
}

/** The options that `templateOptions` adds to a command. */
export interface TemplateOptions {
  /** True where the option was given without a value. */
  readonly template?: string | true
  readonly format?: string | true
}

/** Prints one thing after another. */
export type Printer<T> = (thing: T, names: Setup['names']) => Promise<void>

/** Adds the options that say how things are shown. */
export const templateOptions = (command: Command): Command =>
  command
    .option('-T, --template [template]', 'show each by a template or format: see sess help templates')
    .option('--format [name]', 'show each in a format: see sess help templates')

/** Returns whether options say how things are shown. */
export const isAsked = ({ template, format }: TemplateOptions): boolean => (template ?? format) !== undefined

/**
 * Returns a printer for the options: JSON with `--json`, else the format asked for or the default. Throws
 * `bad-template`, and `bad-usage` with the known formats.
 */
export function printerOf<T>(
  call: Call,
  { template, format }: TemplateOptions,
  showing: Showing<T>,
  usual: string,
): Printer<T> {
  const asked = template ?? format
  if (asked === undefined) return printing(call, formatNamed(call.io.json ? 'json' : usual, false, showing))
  if (template !== undefined && format !== undefined)
    throw new SessError('bad-usage', '--template and --format exclude each other', { hint: HELP })
  if (call.io.json)
    throw new SessError('bad-usage', '--json says already how things are shown', { hint: HELP })
  return printing(call, formatNamed(asked, template !== undefined, showing))
}

const HELP = "type 'sess help templates' to see what there is"

function formatNamed<T>(
  asked: string | true,
  isTemplate: boolean,
  { fields, formats }: Showing<T>,
): Format<T> {
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
  return { is: 'a template', lines: (thing, setup) => [withoutNewline(shown(thing, setup))] }
}

/** Each line is ended when it is printed: what ends with a newline ends no second one. */
function withoutNewline(line: Line): Line {
  const last = line.at(-1)
  if (last === undefined || !textOfPiece(last).endsWith('\n')) return line
  const text = textOfPiece(last).slice(0, -1)
  return [...line.slice(0, -1), typeof last === 'string' ? text : styled(last.look, text)]
}

function printing<T>({ io, world }: Call, format: Format<T>): Printer<T> {
  let first = true
  return async (thing, names) => {
    if ('data' in format) {
      await io.data(format.data(thing))
      return
    }
    if (format.apart && !first) await io.print()
    first = false
    const setup = { now: world.env.now(), zone: world.zone, columns: io.columns, names }
    for (const line of format.lines(thing, setup)) await io.print(...line)
  }
}
