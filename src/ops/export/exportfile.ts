import type { Agent } from '../../formats/core/format.ts'
import type { Draft, Whereabouts, WrittenLine, WrittenSidecar } from '../../formats/core/writer.ts'
import { SessError } from '../../model/errors.ts'
import type { Oid } from '../../model/oid.ts'
import { plainFileName } from '../../model/paths.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { findSession, MAIN, type Session, type SourceHead, tipOf } from '../../repo/session.ts'
import { containerOf } from '../../sources/databases.ts'
import { nameOf as fileName } from '../../sources/files.ts'
import type { NamedFile } from '../../sources/newfile.ts'
import { Scratch } from '../../sources/scratch.ts'
import { bytesOfFile } from '../images.ts'
import { KnownSecrets, redactedDraft } from '../secrets/redaction.ts'
import { type Drafted, drafted, type ExportOptions, fileOf, linesOf, redactionOf } from './export.ts'
import { resolveTargetOrSession } from './selection.ts'
import { sourceBytes, wholeBytes } from './sourcebytes.ts'
import { freshId } from './writerinput.ts'
import { WrittenLog } from './writtenlog.ts'

/** What is written of a session to a file. */
export interface FileExport extends Omit<ExportOptions, 'bytes'> {
  /** Only in a format that an agent goes on with. */
  readonly toAgent?: boolean
}

/** Where something is to be written. */
export interface Destination {
  /** The id that the session has in its file. */
  readonly id: string
  readonly format: string
  /** Folders below the agent's own, and the file's name. */
  readonly place: readonly string[]
  /** The folder that the session belongs to. */
  readonly cwd: string
  readonly agent?: Agent
  /** Whether its bytes are several files in one stream. */
  readonly bundled?: boolean
  /** Of what is written as several files: how many names of its place stand below the folder that they are named from. */
  readonly below?: number
  /** The files beside it. */
  readonly beside?: readonly NamedFile[]
}

/** What becomes of what is written; `isTaken` tells whether something lies at a place already. */
export interface Sink<T> {
  readonly isTaken: (at: Destination) => boolean
  /** What of the machine says where agents look; not needed where only the file's name counts. */
  readonly machine?: Whereabouts
  readonly write: (at: Destination, pieces: AsyncIterable<Uint8Array>) => Promise<T>
}

/** What was written. */
export interface ExportedFile<T> extends Destination {
  /** Undefined where an entry of no session was named. */
  readonly session?: string
  /** Whether the session goes on with what is added to the file. */
  readonly remembered: boolean
  /** What the sink gave. */
  readonly file: T
}

/**
 * Writes a session to a file and remembers up to which entry each of its lines tells it, so that the session goes on
 * when its agent has added to the file and that is imported. A session that is as its source has it is given byte for
 * byte; one that was changed here gets another id where its own is taken. One operation. Throws as `exportSession`,
 * `no-agent`, and what the sink throws.
 */
export function exportFile<T>(
  repo: Repo,
  text: string,
  { toAgent = false, onLoss, redact, ...choice }: FileExport,
  sink: Sink<T>,
): Promise<ExportedFile<T>> {
  const { cwd } = repo.env
  const scratch = new Scratch(repo.dir)
  return repo.write({ bulk: true }, async (change) => {
    const { reader } = change
    const wanted = await drafted(reader, text, repo.env, choice)
    try {
      const { part, writer, name } = wanted
      const { agent } = wanted
      if (toAgent && !agent)
        throw new SessError('no-agent', text, writer.unresumed ? { detail: writer.unresumed } : {})
      const session = part.session && { session: part.session.id }
      const of = (draft: Draft): Destination => ({
        id: draft.id,
        format: name,
        place: writer.place(draft, sink.machine).map(plainPart),
        cwd: draft.cwd ?? cwd,
        ...(agent && { agent }),
        ...(writer.several === 'bundle' && { bundled: true }),
        ...(writer.below !== undefined && { below: writer.below }),
      })
      const redaction =
        redact && (await redactionOf(repo, reader, text, new KnownSecrets(repo.identity.id, redact)))
      const source = redact ? undefined : await sourceOf(reader, text, cwd, wanted, toAgent, choice)
      const unnamed = redaction ? redactedDraft(wanted.draft, redaction, onLoss) : wanted.draft
      const own = toAgent ? { ...unnamed, cwd: unnamed.cwd ?? cwd } : unnamed
      const known = part.session?.exports.get(own.id)
      const isTaken =
        !source &&
        (sink.isTaken(of(own)) ||
          (known !== undefined && known.count > 0) ||
          (await isOfAnother(reader, own.id, part.session)))
      const tip = part.tip === undefined ? undefined : await reader.oid(part.tip)
      const draft = isTaken ? { ...own, id: freshId(wanted, own.created, part.session?.id, tip) } : own
      const at = of(draft)
      if (source) {
        if (source.expunged) onLoss?.({ code: 'expunged' })
        const there = toAgent ? at : { ...at, ...asItCame(reader, source, part.session) }
        const file = await sink.write(there, (toAgent ? sourceBytes : wholeBytes)(reader, source))
        return { ...there, ...session, remembered: true, file }
      }
      // What is redacted is another conversation: nothing that is added to it continues this one.
      const memory = redact ? undefined : memoryOf(change, wanted, at, onto(wanted, choice, tip))
      const lines = bytesOf(linesOf(writer, draft, onLoss), memory)
      const beside = writer.sidecars && (await writer.sidecars(draft)).map(asNamedFile)
      const file = await sink.write({ ...at, ...(beside && { beside }) }, fileOf(writer, lines, scratch))
      const remembered = memory !== undefined && tip !== undefined && (await memory.end(tip))
      return { ...at, ...session, remembered, file }
    } finally {
      await wanted.draft.close()
      scratch.close()
    }
  })
}

/** Gives the source of a session that is to be given as it is: whole, and standing where its agent stands. */
async function sourceOf(
  reader: Reader,
  text: string,
  cwd: string,
  { part, name, draft }: Drafted,
  toAgent: boolean,
  { format, branch, below }: FileExport,
): Promise<SourceHead | undefined> {
  const { session } = part
  if (!session?.source || branch !== undefined || below !== undefined) return undefined
  if ((await resolveTargetOrSession(reader, text, cwd)).handle !== undefined) return undefined
  if (!toAgent) return format === undefined ? (session.exports.get(text) ?? session.source) : undefined
  const { format: own, native } = session.meta
  const isThere = tipOf(session) === session.source.branches[MAIN]
  // What its agent takes under another id only must say that id.
  const isOwn = name === own && isThere && draft.id === (native ?? session.id)
  return isOwn && !(await isOfAnother(reader, draft.id, session)) ? session.source : undefined
}

/** Tells whether what comes back under an id would go on with another session, a copy that went another way. */
async function isOfAnother(reader: Reader, id: string, session: Session | undefined): Promise<boolean> {
  // A session that another keeps from its own id has digits of its content behind it.
  return session?.id.startsWith(`${id}-`) === true && (await findSession(reader, id)) !== undefined
}

/** Gives what is known of a source that is given as it came: the name of its file, and whether it is several. */
function asItCame(reader: Reader, source: SourceHead, session: Session | undefined): Partial<Destination> {
  const files = 'written' in source ? [] : [...(session?.files ?? [])]
  const path = 'written' in source ? null : (session?.meta.path ?? null)
  return {
    ...(path !== null && {
      place: [plainFileName(isFile(path) ? fileName(path) : `${session?.id ?? ''}.jsonl`)],
    }),
    ...(source.bundled && { bundled: true }),
    ...(files.length > 0 && {
      beside: files.map(([name, head]) => ({ name, pieces: bytesOfFile(reader, head) })),
    }),
  }
}

/** Whether a path is a file's, not that of what is within another. */
const isFile = (path: string): boolean => containerOf(path) === path

/** Gives the branch of a session that goes on with what is written: one that ends where that does. */
function onto(
  { part: { session } }: Drafted,
  { branch }: FileExport,
  tip: Oid | undefined,
): string | undefined {
  if (!session || tip === undefined) return undefined
  const standing = 'branch' in session.head ? [session.head.branch] : []
  const names = [...(branch === undefined ? [] : [branch]), ...standing, ...session.branches.keys()]
  return names.find((name) => session.branches.get(name) === tip)
}

function memoryOf(
  change: Change,
  { part, writer, format }: Drafted,
  { id, place, bundled = false }: Destination,
  branch: string | undefined,
): WrittenLog | undefined {
  const { session, tip } = part
  if (!format || !session || tip === undefined) return undefined
  const { branched } = writer
  const writing = { format, branched, bundled, native: id, name: place.at(-1) ?? id, session, onto: branch }
  return WrittenLog.begin(change, part, tip, writing)
}

/** Below a folder `-` is a name like any other: oh-my-pi calls that of the home so. */
const plainPart = (name: string): string => (name === '-' ? name : plainFileName(name))

const utf8 = new TextEncoder()

const asNamedFile = ({ name, text }: WrittenSidecar): NamedFile => ({ name, pieces: only(utf8.encode(text)) })

// oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
async function* only(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece
}

async function* bytesOf(
  lines: AsyncIterable<WrittenLine>,
  memory: WrittenLog | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield memory ? await memory.take(line) : utf8.encode(line.text)
}
