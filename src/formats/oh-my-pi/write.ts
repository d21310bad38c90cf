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
 * Returns the name of a folder of sessions as oh-my-pi 18 spells it: from the path below the home, else below the folder
 * for temporary files, else from the whole path, as pi does.
 */
export function folderOf(cwd = '/', machine?: Pick<Whereabouts, 'home' | 'temporary' | 'real'>): string {
  if (!machine) return dashed(cwd)
  const real = machine.real(cwd)
  const home = below(real, machine.home)
  if (home !== undefined) return `-${home}`
  const temporary = below(real, machine.temporary)
  if (temporary === undefined) return dashed(real)
  return temporary === '' ? '-tmp' : `-tmp-${temporary}`
}

/** Returns the spelled path of a folder within another; undefined if it is not within it. */
function below(path: string, folder: string): string | undefined {
  if (path === folder) return ''
  const start = /[/\\]$/.test(folder) ? folder.length : folder.length + 1
  const inside = path.slice(start)
  // oh-my-pi takes a name that begins with '..' for a path to the outside
  if (!path.startsWith(folder) || !/[/\\]/.test(path.charAt(start - 1)) || inside.startsWith('..'))
    return undefined
  return inside.replaceAll(/[/\\:]/g, '-')
}
