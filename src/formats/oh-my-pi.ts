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
import { type Block, OPAQUE, type View } from '../model/view.ts'
import { all, defineFormat, type EntryDeclarations, each, fields, viewOf } from './core/define.ts'
import type { Agent, Facts, FormatReader, OutputPlace, Reading, RecordIndex } from './core/format.ts'
import { words } from './core/known.ts'
import type { Sample } from './core/sample.ts'
import { folderNamedLike, isNoTranscript } from './core/sidecar.ts'
import type { Unit } from './core/splitter.ts'
import { fieldAt } from './core/values.ts'
import { blocksOf, usageIn } from './core/views.ts'
import type { Draft, FormatWriter, Whereabouts } from './core/writer.ts'
import { blockFields, MESSAGE, ENTRIES as PI_ENTRIES, setting } from './pi/entries.ts'
import { BLOCKS, MESSAGE_FIELDS, PASSED, RECORD_FIELDS } from './pi/known.ts'
import { isPiHeader, type PiDialect, PiReader } from './pi/read.ts'
import { dashed, fileName, headerOf, linesOf } from './pi/write.ts'
import type { PiForm } from './pi/writerecords.ts'

/** oh-my-pi: it takes the file itself, in any of its folders. */
const agent: Agent = {
  title: 'oh-my-pi',
  resume: ({ path }) => ['omp', '--resume', path],
  anywhere: true,
}

/** A file with a whole result: the number of the artifact, and the tool. */
const ARTIFACT = /\/\d+\.[\w.-]+\.log$/

const BLOBS = /"blob:sha256:([0-9a-f]{64})"/g

/** Also collects the blobs, and the files with whole results, that the records name. */
class OhMyPiReader implements FormatReader {
  readonly #folder: string | undefined
  private readonly reader = new PiReader(OH_MY_PI)
  private readonly blobs = new Set<string>()
  private readonly artifacts = new Map<string, Artifact>()

  constructor(name: string) {
    this.#folder = folderNamedLike(name)
  }

  read(unit: Unit): Reading {
    if (unit.text?.includes('blob:sha256:'))
      for (const [, sha256] of unit.text.matchAll(BLOBS)) this.blobs.add(sha256 as string)
    const artifact = unit.text?.includes('"artifactId"') ? artifactIn(unit.value) : undefined
    if (artifact && this.#folder !== undefined)
      this.artifacts.set(`${this.#folder}/${artifact.file}`, artifact)
    return this.reader.read(unit)
  }

  active(): RecordIndex | null {
    return this.reader.active()
  }

  facts(): Facts {
    const outputs = new Map<string, OutputPlace>()
    for (const [file, { id, call }] of this.artifacts) {
      const record = this.reader.entryOf(id)
      if (record !== null) outputs.set(file, { record, call })
    }
    return {
      ...this.reader.facts(),
      ...(this.blobs.size > 0 && { blobs: this.blobs }),
      ...(outputs.size > 0 && { outputs }),
    }
  }
}

/** The whole result of a tool: its file, and the record and the call that it is of. */
interface Artifact {
  readonly file: string
  readonly id: string
  readonly call: string
}

/** Returns the file that holds the whole result of a record, which has the end of it. */
function artifactIn(record: Json | undefined): Artifact | undefined {
  const message = field(record, 'message')
  const [id, call, tool] = [
    asString(field(record, 'id')),
    asString(field(message, 'toolCallId')),
    asString(field(message, 'toolName')),
  ]
  const artifact = asString(fieldAt(message, 'details', 'meta', 'truncation', 'artifactId'))
  if (
    id === undefined ||
    call === undefined ||
    !/^[\w.-]+$/.test(tool ?? '') ||
    !/^\d+$/.test(artifact ?? '')
  )
    return undefined
  return { id, call, file: `${artifact}.${tool}.log` }
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

/** Returns a view whose images in files of their own are named by these. */
function named(view: View): View {
  const isAway = (block: Block): boolean => block.kind === 'image' && BLOB.test(block.data ?? '')
  if (!view.blocks.some(isAway)) return view
  return { ...view, blocks: view.blocks.map((block) => (isAway(block) ? withoutBytes(block) : block)) }
}

function withoutBytes(block: Block): Block {
  if (block.kind !== 'image') return block
  const [, blob = ''] = BLOB.exec(block.data ?? '') ?? []
  return { kind: 'image', mediaType: block.mediaType, bytes: 0, blob }
}

/** A model is named `provider/id`; what it is changed to in another role than the usual one answers nobody here. */
function modelView(body: Json): View {
  const name = asString(field(body, 'model'))
  if (name === undefined || (asString(field(body, 'role')) ?? 'default') !== 'default') return OPAQUE
  const slash = name.indexOf('/')
  return setting({
    model: slash < 0 ? { id: name } : { provider: name.slice(0, slash), id: name.slice(slash + 1) },
  })
}

function messageView(body: Json): View {
  const message = field(body, 'message')
  if (!isObject(message)) return OPAQUE
  switch (message.role) {
    case 'developer':
      return { ...PI_ENTRIES.message.view({ message: { ...message, role: 'user' } }), role: 'system' }
    case 'pythonExecution':
      return { role: message.excludeFromContext === true ? null : 'user', blocks: blocksOf(python(message)) }
    case 'fileMention':
      return { role: 'user', blocks: items(message.files).flatMap((file) => blocksOf(mention(file))) }
    default:
      return PI_ENTRIES.message.view(body)
  }
}

function python(message: JsonObject): string {
  const output = asString(message.output) ?? ''
  return `Ran Python:\n\`\`\`python\n${asString(message.code) ?? ''}\n\`\`\`\n${output || '(no output)'}`
}

const mention = (file: Json): string =>
  [asString(field(file, 'path')), asString(field(file, 'content'))].filter(Boolean).join('\n')

/** The entries of oh-my-pi: pi's, without the usage and cost that its copies count again, and some of its own. */
const ENTRIES: EntryDeclarations = {
  message: {
    body: { message: fields({ ...MESSAGE, ...all('code', 'files', 'attribution') }) },
    view: (body) => named(messageView(body)),
    usage: (record) => usageIn(field(record, 'message')).usage,
  },
  compaction: {
    body: all('summary', 'shortSummary', 'tokensBefore', 'details', 'preserveData', 'fromExtension'),
    view: PI_ENTRIES.compaction.view,
  },
  branch_summary: {
    body: all('summary', 'details', 'fromExtension'),
    view: PI_ENTRIES.branch_summary.view,
  },
  custom_message: {
    body: { ...all('customType', 'display', 'details', 'attribution'), content: each(blockFields) },
    view: (body) => named(PI_ENTRIES.custom_message.view(body)),
  },
  thinking_level_change: {
    body: all('thinkingLevel', 'configured'),
    view: (body) => setting({ thinking: asString(field(body, 'thinkingLevel')) ?? 'off' }),
  },
  model_change: { body: all('model', 'role', 'resolvedModelIsFallback'), view: modelView },
  mode_change: {
    body: all('mode', 'data'),
    view(body) {
      const mode = asString(field(body, 'mode'))
      return mode === undefined ? OPAQUE : setting({ mode })
    },
  },
  reset_boundary: {
    body: {},
    view: () => ({ ...OPAQUE, effect: { kind: 'compaction', replacement: [] } }),
  },
}

/** oh-my-pi: pi's tree, and records of its own. */
const OH_MY_PI: PiDialect = {
  name: 'omp',
  entries: ENTRIES,
  titleIn: ({ type, title }) =>
    type === 'title' || type === 'session' || type === 'title_change' ? asString(title)?.trim() : undefined,
}

const FORM: PiForm = {
  dialect: 'omp',
  view: (kind, body) => viewOf(ENTRIES, kind, body),
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
  reader: (name) => new OhMyPiReader(name),
  sidecars: {
    folder: folderNamedLike,
    holds: isNoTranscript,
    isOutput: (path) => ARTIFACT.test(path),
    blobs: true,
  },
  mutablePrefix: (head) => (hasTitle(head) ? TITLE_BYTES : 0),
  entries: ENTRIES,
  known: {
    written: '18.3.4',
    types: {
      type: ['session', ...PASSED, ...OWN, ...Object.keys(ENTRIES)],
      'message.content.type': [...BLOCKS, 'redactedThinking'],
    },
    fields: {
      ...MESSAGE_FIELDS,
      '': [
        ...RECORD_FIELDS,
        ...words(`
          v title source updatedAt pad titleSource additionalDirectories systemPrompt task tools model role configured
          mode purpose api stopReason injectedRules fromExtension previousTitle shortSummary preserveData serviceTier
          attribution outputSchema spawns resolvedModelIsFallback credential
        `),
      ],
    },
  },
  writer,
  agent,
})
