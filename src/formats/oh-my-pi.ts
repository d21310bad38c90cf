import {
  asString,
  field,
  isObject,
  items,
  type Json,
  type JsonObject,
  jsonText,
  without,
} from '../model/json.ts'
import { iso } from '../model/time.ts'
import { type Block, type Effect, OPAQUE, type Setting, type View } from '../model/view.ts'
import { all, each, type FieldSelector, fields, selectFields } from './core/allowlist.ts'
import { defineFormat, entriesBy } from './core/define.ts'
import type { Agent, Facts, FormatReader } from './core/format.ts'
import type { Sample } from './core/sample.ts'
import { folderNamedLike, isNoTranscript } from './core/sidecar.ts'
import { usageIn } from './core/usage.ts'
import type { Draft, FormatWriter, Whereabouts } from './core/writer.ts'
import { blockFields, isPiHeader, MESSAGE, type PiDialect } from './pi/fields.ts'
import { PiReader } from './pi/read.ts'
import { view as piView } from './pi/view.ts'
import { dashed, fileName, headerOf, linesOf } from './pi/write.ts'
import type { PiForm } from './pi/writerecords.ts'

/** oh-my-pi: it takes the file itself, in any of its folders. */
const agent: Agent = {
  title: 'oh-my-pi',
  resume: ({ path }) => ['omp', '--resume', path],
  anywhere: true,
}

const BLOBS = /"blob:sha256:([0-9a-f]{64})"/g

/** Returns a reader that also collects the blobs named by the records. */
function namingBlobs(reader: FormatReader): FormatReader {
  const blobs = new Set<string>()
  return {
    read(unit) {
      if (unit.text?.includes('blob:sha256:'))
        for (const [, sha256] of unit.text.matchAll(BLOBS)) blobs.add(sha256 as string)
      return reader.read(unit)
    },
    active: () => reader.active(),
    facts: (): Facts => ({ ...reader.facts(), ...(blobs.size > 0 && { blobs }) }),
  }
}

/** Its copies count usage and cost again, so the body leaves them out. */
const messageFields = fields({ ...MESSAGE, ...all('code', 'files', 'attribution') })

const BODIES: Readonly<Record<string, Readonly<Record<string, FieldSelector>>>> = {
  message: { message: messageFields },
  compaction: all('summary', 'shortSummary', 'tokensBefore', 'details', 'preserveData', 'fromExtension'),
  branch_summary: all('summary', 'details', 'fromExtension'),
  custom_message: { ...all('customType', 'display', 'details', 'attribution'), content: each(blockFields) },
  thinking_level_change: all('thinkingLevel', 'configured'),
  model_change: all('model', 'role', 'resolvedModelIsFallback'),
  mode_change: all('mode', 'data'),
  reset_boundary: {},
}

/** The types that pi does not have. */
const OWN: ReadonlySet<string> = new Set([
  'title',
  'mode_change',
  'reset_boundary',
  'model_usage',
  'service_tier_change',
  'title_change',
  'ttsr_injection',
  'credential_pin',
  'session_init',
])

/** oh-my-pi: pi's tree, and records of its own. */
const OH_MY_PI: PiDialect = {
  name: 'omp',
  kinds: new Set(Object.keys(BODIES)),
  passed: new Set([...OWN, 'custom', 'label', 'session_info', 'usage']),
  bodyOf: (kind: string, value: JsonObject): Json =>
    selectFields(value, BODIES[kind] as Readonly<Record<string, FieldSelector>>),
  titleIn: ({ type, title }) =>
    type === 'title' || type === 'session' || type === 'title_change' ? asString(title)?.trim() : undefined,
}

/** The fields of a header that pi does not have. */
const FIELDS = [
  'title',
  'titleSource',
  'additionalDirectories',
  'previousSessionFiles',
  'providerPromptCacheKey',
]

/**
 * Returns whether a source is a session file of oh-my-pi, whose version is 3 like pi's: by its title line, its
 * header, a record that pi does not write, or its folder. A file without any of these is the same in both.
 */
const detect = ({ lines: objects, above }: Sample): boolean => {
  const [header, ...records] = field(objects[0], 'type') === 'title' ? objects.slice(1) : objects
  if (!isPiHeader(header)) return false
  return (
    header !== objects[0] ||
    above?.includes('.omp') === true ||
    FIELDS.some((name) => field(header, name) !== undefined) ||
    records.some(isOwn)
  )
}

/** Its models are named `provider/id`, where pi has two fields, and its field for extensions has another name. */
const isOwn = (value: Json): boolean => {
  const type = field(value, 'type')
  if (type === 'model_change') return typeof field(value, 'model') === 'string'
  if (type === 'compaction' || type === 'branch_summary') return field(value, 'fromExtension') !== undefined
  return typeof type === 'string' && OWN.has(type)
}

/** How long the line of the title is, its newline included: it is changed in place. */
export const TITLE_BYTES = 256

/** A title, who gave it, and when, in milliseconds since 1970. */
export interface Title {
  readonly title: string
  readonly source?: 'auto' | 'user'
  readonly updated: number
}

const utf8 = new TextEncoder()

const lengthOf = (value: JsonObject): number => utf8.encode(jsonText(value)).length + 1

/** Returns the value of a title line: 256 bytes of JSON with its newline, the title cut to whole characters where needed. */
export function titleSlot({ title, source, updated }: Title): JsonObject {
  const letters = [...title.slice(0, TITLE_BYTES)]
  const slot = (count: number, pad = 0): JsonObject => ({
    type: 'title',
    v: 1,
    title: letters.slice(0, count).join(''),
    ...(source && { source }),
    updatedAt: iso(updated),
    pad: ' '.repeat(pad),
  })
  let count = letters.length
  while (lengthOf(slot(count)) > TITLE_BYTES) count--
  return slot(count, TITLE_BYTES - lengthOf(slot(count)))
}

const BEGIN = utf8.encode('{"type":"title"')

/** Returns whether a file that begins with some bytes has a title line that can be changed in place. */
export const hasTitle = (head: Uint8Array): boolean =>
  head[TITLE_BYTES - 1] === 0x0a && BEGIN.every((byte, at) => head[at] === byte)

/** The placeholder of bytes in a file of their own. */
const BLOB = /^blob:sha256:([0-9a-f]{64})$/

/** Returns what an entry of oh-my-pi means, from its kind and body: as in pi, except what is its own. */
function view(kind: string, body: Json): View {
  const said = viewOf(kind, body)
  const isAway = (block: Block): boolean => block.kind === 'image' && BLOB.test(block.data ?? '')
  if (!said.blocks.some(isAway)) return said
  return { ...said, blocks: said.blocks.map((block) => (isAway(block) ? withoutBytes(block) : block)) }
}

function withoutBytes(block: Block): Block {
  if (block.kind !== 'image') return block
  const [, blob = ''] = BLOB.exec(block.data ?? '') ?? []
  return { kind: 'image', mediaType: block.mediaType, bytes: 0, blob }
}

function viewOf(kind: string, body: Json): View {
  switch (kind) {
    case 'message':
      return messageView(body)
    case 'model_change':
      return modelView(asString(field(body, 'model')), asString(field(body, 'role')))
    case 'thinking_level_change':
      return sets({ thinking: asString(field(body, 'thinkingLevel')) ?? 'off' })
    case 'mode_change': {
      const mode = asString(field(body, 'mode'))
      return mode === undefined ? OPAQUE : sets({ mode })
    }
    case 'reset_boundary':
      return state({ effect: { kind: 'compaction', replacement: [] } })
    default:
      return piView(kind, body)
  }
}

const state = (does: { readonly sets?: Setting; readonly effect?: Effect }): View => ({
  role: null,
  blocks: [],
  ...does,
})

const sets = (setting: Setting): View => state({ sets: setting })

/** A model is named `provider/id`; what it is changed to in another role than the usual one answers nobody here. */
function modelView(name: string | undefined, role = 'default'): View {
  if (name === undefined || role !== 'default') return OPAQUE
  const slash = name.indexOf('/')
  return sets({
    model: slash < 0 ? { id: name } : { provider: name.slice(0, slash), id: name.slice(slash + 1) },
  })
}

function messageView(body: Json): View {
  const message = field(body, 'message')
  if (!isObject(message)) return piView('message', body)
  switch (message.role) {
    case 'developer':
      return { ...piView('message', { message: { ...message, role: 'user' } }), role: 'system' }
    case 'pythonExecution':
      return { role: message.excludeFromContext === true ? null : 'user', blocks: texts(python(message)) }
    case 'fileMention':
      return { role: 'user', blocks: items(message.files).flatMap((file) => texts(mention(file))) }
    default:
      return piView('message', body)
  }
}

const texts = (text: string): View['blocks'] => (text === '' ? [] : [{ kind: 'text', text }])

function python(message: JsonObject): string {
  const output = asString(message.output) ?? ''
  return `Ran Python:\n\`\`\`python\n${asString(message.code) ?? ''}\n\`\`\`\n${output || '(no output)'}`
}

const mention = (file: Json): string =>
  [asString(field(file, 'path')), asString(field(file, 'content'))].filter(Boolean).join('\n')

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
export const writer: FormatWriter = {
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
    // Without a title line this field distinguishes it from a file of pi.
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

/** The session files of oh-my-pi: those of pi, grown apart within version 3. */
export const ohMyPi = defineFormat({
  name: 'oh-my-pi',
  dialect: 'omp',
  detect,
  reader: () => namingBlobs(new PiReader(OH_MY_PI)),
  sidecars: { folder: folderNamedLike, holds: isNoTranscript, blobs: true },
  mutablePrefix: (head) => (hasTitle(head) ? TITLE_BYTES : 0),
  entries: {
    ...entriesBy(BODIES, view),
    ...entriesBy({ message: BODIES.message }, view, {
      usage: (record) => usageIn(field(record, 'message')).usage,
    }),
  },
  writer,
  agent,
})
