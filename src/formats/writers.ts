import { html } from './html.ts'
import { markdown } from './markdown.ts'
import { FORMATS } from './registry.ts'
import type { Writer } from './write.ts'

/** A format that can be written: its name, and the dialect that its own entries are of. */
export interface Writable {
  readonly name: string
  readonly dialect: string
  readonly writer: Writer
}

/** All formats that can be written. */
export const WRITABLE: readonly Writable[] = [
  ...FORMATS.flatMap(({ name, dialect, writer }) => (writer ? [{ name, dialect, writer }] : [])),
  { name: 'markdown', dialect: 'markdown', writer: markdown },
  { name: 'html', dialect: 'html', writer: html },
]

/** Gives the format of a name, where it can be written. */
export const writableNamed = (name: string): Writable | undefined =>
  WRITABLE.find((format) => format.name === name)
