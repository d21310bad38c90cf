import { document } from '../document.ts'
import type { Format, Reading } from '../format.ts'
import { headText } from '../headtext.ts'
import type { Unit } from '../unit.ts'
import { reader } from './read.ts'
import { view } from './view.ts'

/** The name of the format, and of its dialect. */
const NAME = 'codex-json'

/**
 * A rollout of Codex CLI of April 2025: one document, `{"session":{…},"items":[…]}`, whose items stand as they stood bare
 * on lines later.
 */
export const codexDocument: Format = {
  name: NAME,
  dialect: NAME,
  reading: 1,
  conversational: true,
  rewrittenWhole: true,
  detect: ({ head }) =>
    /^\s*\{\s*"session"\s*:\s*\{[^{}]*"id"\s*:[^{}]*\}\s*,\s*"items"\s*:\s*\[/.test(headText(head)),
  splitter: () => document('items'),
  reader(name) {
    const inner = reader(name)
    const header = reader(name)
    return {
      read(unit) {
        if (unit.enclosing?.session !== undefined) header.read(headerIn(unit, unit.enclosing.session))
        return renamed(inner.read(unit))
      },
      active: () => inner.active(),
      facts: () => ({ ...inner.facts(), ...header.facts() }),
    }
  },
  view,
}

const headerIn = (unit: Unit, value: Unit['value']): Unit => ({
  ...unit,
  ...(value !== undefined && { value }),
})

/** An item has the kind that it has on a line. */
const renamed = ({ entry, ...rest }: Reading): Reading =>
  entry ? { ...rest, entry: { ...entry, type: `${NAME}${entry.type.slice(entry.type.indexOf('/'))}` } } : rest
