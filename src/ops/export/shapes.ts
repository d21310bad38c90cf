import { WRITABLE, type Writable, writableNamed } from '../../formats/writable.ts'
import { html } from './html.ts'

const PAGE: Writable = { name: 'html', dialect: 'html', writer: html }

/** All shapes that a session can be exported in. */
export const SHAPES: readonly Writable[] = [...WRITABLE, PAGE]

/** Returns the shape with a name. */
export const shapeNamed = (name: string): Writable | undefined =>
  name === PAGE.name ? PAGE : writableNamed(name)
