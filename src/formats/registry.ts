import type { Format, Variant } from './core/format.ts'
import type { Sample } from './core/sample.ts'
import { DIALECTS } from './dialects.ts'
import { opaque } from './generic/index.ts'
import { html } from './html.ts'
import { markdown } from './markdown.ts'

/** All formats, in the order in which they are asked whether a source is theirs. */
export const FORMATS: readonly Format[] = DIALECTS.map(([, format]) => format())

/** Returns the first format that takes a source. */
export const detectFormat = (sample: Sample): Format =>
  FORMATS.find((format) => format.detect(sample)) ?? opaque

/** Returns the format of a name. */
export const formatNamed = (name: string): Format | undefined =>
  FORMATS.find((format) => format.name === name)

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
