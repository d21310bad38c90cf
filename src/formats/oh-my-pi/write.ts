import { asString, field, type JsonObject, without } from '../../model/json.ts'
import type { PiForm } from '../pi/form.ts'
import { dashed, fileName, headerOf, linesOf } from '../pi/write.ts'
import type { Draft, Whereabouts, Writer } from '../write.ts'
import { titleSlot } from './slot.ts'
import { view } from './view.ts'

const FORM: PiForm = {
  dialect: 'omp',
  view,
  system: 'developer',
  edits: false,
  modes: true,
  model: ({ provider, id }) => ({ model: provider === undefined ? id : `${provider}/${id}` }),
  begin: () => ({ header: titled, record: (record) => [record] }),
  labels: true,
  title: () => undefined,
}

/** Writes sessions as oh-my-pi keeps them: a title line, and pi's version 3 in its dialect. */
export const writer: Writer = {
  branched: true,
  place: ({ id, cwd, created }, machine) => ['sessions', folderOf(cwd, machine), fileName(id, created)],
  isHeader: (value) => field(value, 'type') === 'session',
  lines: (draft) => linesOf(draft, FORM),
}

/** A title that is written is as good as one that the user gave: what `auto` gave would be replaced. */
function titled(draft: Draft): readonly JsonObject[] {
  const { title, created } = draft
  const header = headerOf(draft)
  if (title === undefined) {
    // Without a title line this field tells that it is not pi's.
    const untitled = without(header, 'title', 'titleSource')
    return [{ ...untitled, additionalDirectories: header.additionalDirectories ?? [] }]
  }
  const source = asString(header.titleSource) === 'auto' ? 'auto' : 'user'
  return [titleSlot({ title, source, updated: created }), { ...header, title, titleSource: source }]
}

/**
 * Gives the name of a folder of sessions as oh-my-pi 18 spells it: of one below the home or the temporary folder from
 * there, else as pi does.
 */
function folderOf(cwd = '/', machine?: Whereabouts): string {
  if (!machine) return dashed(cwd)
  const real = machine.real(cwd)
  const below = (folder: string): string | undefined =>
    `${real}/`.startsWith(`${folder}/`) ? real.slice(folder.length + 1).replaceAll(/[/\\:]/g, '-') : undefined
  const [home, temporary] = [below(machine.home), below(machine.temporary)]
  if (home !== undefined) return `-${home}`
  return temporary === undefined ? dashed(real) : ['-tmp', ...(temporary === '' ? [] : [temporary])].join('-')
}
