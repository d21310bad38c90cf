import type { NamedFile } from '../../files/newfile.ts'
import type { Agent } from '../../formats/core/format.ts'
import type { Draft, Whereabouts, WrittenLine, WrittenSidecar } from '../../formats/core/writer.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { plainFileName } from '../../model/paths.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { scratchPrefix } from '../../repo/scratch.ts'
import {
  allBranches,
  findTrunk,
  MAIN,
  type SessionTrunk,
  type SourceHead,
  tipOf,
} from '../../repo/session.ts'
import { containerOf } from '../../sources/databases.ts'
import { nameOf as fileName } from '../../sources/files.ts'
import { Scratch } from '../../sources/scratch.ts'
import { bytesOfFile } from '../images.ts'
import { KnownSecrets, redactedDraft } from '../secrets/redaction.ts'
import { type Companion, companionsOf } from './companions.ts'
import { comparedIn, comparisonPage } from './comparisonpage.ts'
import { type Drafted, drafted, type ExportOptions, fileOf, linesOf, redactionOf } from './export.ts'
import { readableDraft } from './readabledraft.ts'
import { refuseSecrets } from './refusesecrets.ts'
import { resolveSessionOrEntry } from './selection.ts'
import { sourceBytes, wholeBytes } from './sourcebytes.ts'
import { freshId } from './writerinput.ts'
import { WrittenLog } from './writtenlog.ts'

/** Options of an export to a file. */
export interface FileExport extends Omit<ExportOptions, 'bytes'> {
  /** Require a format whose agent can resume the session. */
  readonly toAgent?: boolean
}

/** The file that an export is written to. */
export interface Destination {
  /** The id that the session has in its file. */
  readonly id: string
  readonly format: string
  /** Folders below the agent's own, and the file's name. */
  readonly place: readonly string[]
  /** The folder that the session belongs to. */
  readonly cwd: string
  readonly agent?: Agent
  /** Whether its bytes are a bundle of several files. */
  readonly bundled?: boolean
  /** For several files: the number of path components below the folder that they are relative to. */
  readonly below?: number
  /** Its sidecar files. */
  readonly beside?: readonly NamedFile[]
  /** For its agent: the files that belong to it, its sub-agents among them. */
  readonly companions?: readonly Companion[]
  /** With `toAgent`: the file that the session was imported from. */
  readonly origin?: ImportedFile
}

/** The path that a session was imported from, and what the store has of the file there. */
export interface ImportedFile extends Pick<SourceHead, 'bytes' | 'sha256'> {
  readonly path: string
}

/** Receives an export. `isTaken` returns whether a destination exists already. */
export interface Sink<T> {
  readonly isTaken: (at: Destination) => boolean
  /** The facts of the machine that agents' paths depend on; not needed if only the file's name counts. */
  readonly machine?: Whereabouts
  readonly write: (at: Destination, pieces: AsyncIterable<Uint8Array>) => Promise<T>
}

/** An export that was written. */
export interface ExportedFile<T> extends Destination {
  /** Undefined for an entry that was named without a session. */
  readonly session?: string
  /** Whether an import of the file, once it grows, continues the session. */
  readonly remembered: boolean
  /** The result of the sink. */
  readonly file: T
}

/**
 * Writes a session to a file, and stores the entry that each of its lines ends at, so that an import of the file continues
 * the session after its agent has added to it. An unchanged session is written as its source, byte for byte; a changed one
 * gets another id where its own is taken. One operation. Throws as `exportSession`, `no-agent`, and what the sink throws.
 */
export async function exportFile<T>(
  repo: Repo,
  text: string,
  { toAgent = false, onLoss, redact, secrets, noTools, noSystem, allowSecrets, ...choice }: FileExport,
  sink: Sink<T>,
): Promise<ExportedFile<T>> {
  const { cwd } = repo.env
  const compared = await comparedIn(repo, text, choice)
  if (compared) {
    const at = { id: text, format: 'html', place: [plainPart(`${compared.join(' and ')}.html`)], cwd }
    const page = comparisonPage(repo, compared, defined({ redact, secrets, allowSecrets }))
    return { ...at, remembered: false, file: await sink.write(at, page) }
  }
  await refuseSecrets(repo, text, { ...choice, ...defined({ redact, allowSecrets }) })
  const scratch = new Scratch(scratchPrefix(repo.dir))
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
        ...(toAgent && originOf(part.session)),
      })
      const redaction =
        redact && (await redactionOf(repo, reader, text, new KnownSecrets(repo.identity.id, redact, secrets)))
      const source = redact ? undefined : await sourceOf(reader, text, wanted, toAgent, choice)
      const redacted = redaction ? redactedDraft(wanted.draft, redaction, onLoss) : wanted.draft
      const unnamed = readableDraft(redacted, writer, defined({ noTools, noSystem }))
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
        if (source.origin && toAgent) onLoss?.({ code: 'base', subject: source.origin.session })
        const there = toAgent
          ? { ...at, ...(await companionsWith(reader, part.session, at, { sink, onLoss })) }
          : { ...at, ...unchangedFile(reader, source, part.session) }
        const file = await sink.write(there, (toAgent ? sourceBytes : wholeBytes)(reader, source))
        return { ...there, ...session, remembered: true, file }
      }
      if (toAgent && name === part.session?.meta.format)
        for (const subject of part.session.files.keys()) onLoss?.({ code: 'sidecar', subject })
      // A redacted file is another conversation: additions to it do not continue this one.
      const written = redact
        ? undefined
        : writtenLogOf(change, wanted, at, await branchToContinue(reader, wanted, choice, tip))
      const lines = bytesOf(linesOf(writer, draft, onLoss), written)
      const beside = writer.sidecars && (await writer.sidecars(draft)).map(asNamedFile)
      const file = await sink.write({ ...at, ...(beside && { beside }) }, fileOf(writer, lines, scratch))
      const remembered = written !== undefined && tip !== undefined && (await written.end(tip))
      return { ...at, ...session, remembered, file }
    } finally {
      await wanted.draft.close()
      scratch.close()
    }
  })
}

/** Returns the files that belong to a session that is written unchanged for its agent. */
async function companionsWith(
  reader: Reader,
  session: SessionTrunk | undefined,
  { place }: Destination,
  { sink, onLoss }: { readonly sink: Pick<Sink<never>, 'machine'>; readonly onLoss: ExportOptions['onLoss'] },
): Promise<Pick<Destination, 'companions'>> {
  if (!session) return {}
  const writing = { session, name: place.at(-1) ?? '', machine: sink.machine }
  const { files, losses } = await companionsOf(reader, writing)
  for (const loss of losses) onLoss?.(loss)
  return files.length > 0 ? { companions: files } : {}
}

/** Returns the source of a session that is to be written unchanged: whole, and with its agent at the session's HEAD. */
async function sourceOf(
  reader: Reader,
  text: string,
  { part, name, draft }: Drafted,
  toAgent: boolean,
  { format, branch, below }: FileExport,
): Promise<SourceHead | undefined> {
  const { session } = part
  if (!session?.source || branch !== undefined || below !== undefined) return undefined
  if ((await resolveSessionOrEntry(reader, text)).handle !== undefined) return undefined
  if (!toAgent) return format === undefined ? (session.exports.get(text) ?? session.source) : undefined
  const { format: own, native } = session.meta
  const isThere = tipOf(session) === session.source.branches[MAIN]
  // A file for an agent that needs another id must contain that id.
  const isOwn = name === own && isThere && draft.id === (native ?? session.id)
  return isOwn && !(await isOfAnother(reader, draft.id, session)) ? session.source : undefined
}

function originOf(session: SessionTrunk | undefined): Pick<Destination, 'origin'> {
  const { meta, source } = session ?? {}
  if (!source || !meta || meta.path === null) return {}
  const { bytes, sha256 } = source
  return { origin: { path: meta.path, bytes, sha256 } }
}

/** Returns whether an import under an id would continue another session, such as a copy that diverged. */
async function isOfAnother(reader: Reader, id: string, session: SessionTrunk | undefined): Promise<boolean> {
  // Where another session has its id already, digits of its content are appended to it.
  return session?.id.startsWith(`${id}-`) === true && (await findTrunk(reader, id)) !== undefined
}

/** Returns the properties of an unchanged source: the name of its file, its sidecar files, whether it is a bundle. */
function unchangedFile(
  reader: Reader,
  source: SourceHead,
  session: SessionTrunk | undefined,
): Partial<Destination> {
  const files = 'written' in source ? [] : [...(session?.files ?? [])]
  const path = 'written' in source ? null : (session?.meta.path ?? null)
  return {
    ...(path !== null && {
      place: [plainFileName(isFile(path) ? fileName(path) : `${session?.id ?? ''}.jsonl`)],
    }),
    ...(source.bundled && { bundled: true }),
    ...(files.length > 0 && {
      beside: files.map(([name, head]) => ({ name, chunks: bytesOfFile(reader, head) })),
    }),
  }
}

/** Returns whether a path is that of a file, not of something inside of a file. */
const isFile = (path: string): boolean => containerOf(path) === path

/** Returns the branch of a session that an import of the file continues: one with the same tip. */
async function branchToContinue(
  reader: Reader,
  { part: { session } }: Drafted,
  { branch }: FileExport,
  tip: Oid | undefined,
): Promise<string | undefined> {
  if (!session || tip === undefined) return undefined
  const standing = 'branch' in session.head ? [session.head.branch] : []
  const branches = await allBranches(reader, session)
  const names = [...(branch === undefined ? [] : [branch]), ...standing, ...branches.keys()]
  return names.find((name) => branches.get(name) === tip)
}

function writtenLogOf(
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

/** Returns a safe path component. `-` is a valid name of a folder: oh-my-pi gives it to the home folder. */
const plainPart = (name: string): string => (name === '-' ? name : plainFileName(name))

const utf8 = new TextEncoder()

const asNamedFile = ({ name, text }: WrittenSidecar): NamedFile => ({ name, chunks: only(utf8.encode(text)) })

// oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
async function* only(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece
}

async function* bytesOf(
  lines: AsyncIterable<WrittenLine>,
  written: WrittenLog | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield written ? await written.take(line) : utf8.encode(line.text)
}
