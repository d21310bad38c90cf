import type { Agent, Format, Variant } from './core/format.ts'
import { markdown } from './markdown.ts'
import { FORMATS } from './registry.ts'

/** A shape that sessions can be written in. */
export interface Writable extends Variant {
  /** In `--format`. */
  readonly name: string
  /** The dialect that its own entries are of. */
  readonly dialect: string
  /** The format that reads it; undefined if none does. */
  readonly format?: Format
}

/** All shapes that a format writes by itself. */
export const WRITABLE: readonly Writable[] = [
  ...FORMATS.flatMap(({ load }) => shapesOf(load())),
  { name: 'markdown', dialect: 'markdown', writer: markdown },
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

/** A format whose sessions an agent resumes; without a writer it is only read. */
export type ResumableFormat = Omit<Writable, 'writer' | 'agent'> & {
  readonly agent: Agent
  readonly writer?: Writable['writer']
}

/** All formats whose sessions an agent resumes. */
export const RESUMABLE: readonly ResumableFormat[] = [
  ...WRITABLE.flatMap(({ agent, ...shape }) => (agent ? [{ ...shape, agent }] : [])),
  ...FORMATS.flatMap(({ load }) => {
    const format = load()
    const { name, dialect, agent, writer } = format
    return agent && !writer ? [{ name, dialect, format, agent }] : []
  }),
]
