import type { Loss } from '../../formats/core/losses.ts'
import type { Draft, FormatWriter, WrittenLine } from '../../formats/core/writer.ts'
import type { Writable } from '../../formats/writable.ts'
import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { type FindSecrets, joinedTexts } from '../../model/secrets/secret.ts'
import type { Env } from '../../repo/env.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { scratchPrefix } from '../../repo/scratch.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import { opencodeDatabase } from '../../sources/opencodedatabase.ts'
import { Scratch } from '../../sources/scratch.ts'
import { KnownSecrets, Redaction, redactedBytes, redactedDraft } from '../secrets/redaction.ts'
import { SearchedTexts } from '../secrets/searchedtexts.ts'
import { comparedIn, comparisonPage } from './comparisonpage.ts'
import { type ReadableChoice, readableDraft } from './readabledraft.ts'
import { refuseSecrets } from './refusesecrets.ts'
import { type ExportChoice, partOf, resolveSessionOrEntry, type SessionPart } from './selection.ts'
import { SHAPES, shapeNamed } from './shapes.ts'
import { inChunks, keptBytes, limited, sourceBytes, sourceRecords, wholeBytes } from './sourcebytes.ts'
import { writerInput } from './writerinput.ts'

export { LOSSES, type Loss, type LossCode } from '../../formats/core/losses.ts'

/** The names of the formats that sessions can be written in. */
export const EXPORT_FORMATS: readonly string[] = SHAPES.map(({ name }) => name)

/** Options of an export. */
export interface ExportOptions extends ExportChoice, ReadableChoice {
  /** The format to write. By default the source's own bytes or, for a part of a session, its own format, else `sess`. */
  readonly format?: string
  /** The maximum number of bytes. */
  readonly bytes?: number
  /** Finds secrets, which are replaced by marks. */
  readonly redact?: FindSecrets
  /** Write a page for people to share even where secrets are found in the session. */
  readonly allowSecrets?: boolean
  /** With `redact`: secrets that no rule recognises. */
  readonly secrets?: readonly string[]
  /** Called with each loss: content that the written form does not carry. */
  readonly onLoss?: (loss: Loss) => void
}

/** Returns a redaction of the secrets that are recognised anywhere in the session that a text names. Throws as `resolve`. */
export async function redactionOf(
  repo: Pick<Repo, 'env' | 'yieldToEvents'>,
  reader: Reader,
  text: string,
  secrets: KnownSecrets,
): Promise<Redaction> {
  let count = 0
  for await (const { value } of new SearchedTexts(reader).around(text)) {
    secrets.recognise(joinedTexts(value))
    if (++count % TEXTS_PER_YIELD === 0) await repo.yieldToEvents()
  }
  return new Redaction(secrets)
}

/** The number of texts after which other events run. */
const TEXTS_PER_YIELD = 1000

/** How the bytes of an export are yielded. */
interface ChunkOptions {
  /** Whether each chunk may be valid only until the next one, which saves a copy. */
  readonly reuse?: boolean
}

/**
 * Yields a session as bytes. Without a format and a choice this is its source as it was imported, compressed if it was and
 * neither a limit nor a redaction is requested. Otherwise, and for a session without a source, a writer writes its entries.
 * Throws `no-session`, `no-format`, or as `resolve`, and `has-secrets` for a page of a session with secrets.
 */
export async function* exportSession(
  repo: Repo,
  text: string,
  options: ExportOptions & ChunkOptions = {},
): AsyncGenerator<Uint8Array> {
  const { reuse = false, onLoss } = options
  const compared = await comparedIn(repo, text, options)
  if (compared) {
    yield* limited(comparisonPage(repo, compared, options), options.bytes)
    return
  }
  await refuseSecrets(repo, text, options)
  const pieces = repo.stream((reader) => bytesAndLosses(repo, reader, text, options), {
    // The `slice` of a Buffer shares its memory.
    keep: (piece) => (reuse && piece instanceof Uint8Array ? new Uint8Array(piece) : piece),
  })
  for await (const piece of pieces)
    if (piece instanceof Uint8Array) yield piece
    else onLoss?.(piece)
}

/** Yields the bytes of an export, and before those that follow it each loss. */
async function* bytesAndLosses(
  repo: Repo,
  reader: Reader,
  text: string,
  options: ExportOptions & ChunkOptions,
): AsyncGenerator<Uint8Array | Loss> {
  const losses: Loss[] = []
  const scratch = new Scratch(scratchPrefix(repo.dir))
  try {
    for await (const bytes of exportedBytes(repo, reader, text, scratch, {
      ...options,
      onLoss: (loss) => void losses.push(loss),
    })) {
      yield* losses.splice(0)
      yield bytes
    }
    yield* losses
  } finally {
    scratch.close()
  }
}

async function* exportedBytes(
  repo: Repo,
  reader: Reader,
  text: string,
  scratch: Scratch,
  { bytes, reuse = false, ...options }: ExportOptions & ChunkOptions,
): AsyncGenerator<Uint8Array> {
  const { redact, secrets, onLoss } = options
  const redaction =
    redact && (await redactionOf(repo, reader, text, new KnownSecrets(repo.identity.id, redact, secrets)))
  const source = isWhole(options) ? await sourceOf(reader, text) : undefined
  if (source?.expunged) onLoss?.({ code: 'expunged' })
  if (source && redaction) {
    const pieces = { records: sourceRecords(reader, source), tail: keptBytes(reader, source.tail) }
    yield* limited(inChunks(redactedBytes(reader, pieces, redaction, onLoss)), bytes)
  } else if (source)
    yield* bytes === undefined ? wholeBytes(reader, source, reuse) : sourceBytes(reader, source, bytes, reuse)
  else yield* limited(written(reader, text, repo.env, options, redaction, scratch), bytes)
}

/** Yields the bytes of the file that a writer's output belongs in: of a database for rows. */
export const fileOf = (
  { several }: FormatWriter,
  lines: AsyncIterable<Uint8Array>,
  scratch: Scratch,
): AsyncGenerator<Uint8Array> => (several === 'rows' ? opencodeDatabase(lines, scratch) : inChunks(lines))

const isWhole = ({ format, branch, below, noTools, noSystem }: ExportOptions): boolean =>
  format === undefined && branch === undefined && below === undefined && !noTools && !noSystem

/**
 * Returns the source of a session or, for the id of an exported file, that file. Undefined where there is none, or the text
 * names an entry.
 */
async function sourceOf(reader: Reader, text: string): Promise<SourceHead | ExportHead | undefined> {
  const { session, handle } = await resolveSessionOrEntry(reader, text)
  return handle === undefined ? (session?.exports.get(text) ?? session?.source) : undefined
}

const utf8 = new TextEncoder()

async function* written(
  reader: Reader,
  text: string,
  env: Pick<Env, 'now'>,
  { format, branch, below, bare = false, onLoss, ...left }: ExportOptions,
  redaction: Redaction | undefined,
  scratch: Scratch,
): AsyncGenerator<Uint8Array> {
  const { draft, writer } = await drafted(reader, text, env, {
    bare,
    ...defined({ branch, below, format }),
  })
  const redacted = redaction ? redactedDraft(draft, redaction, onLoss) : draft
  const input = readableDraft(redacted, writer, left)
  try {
    yield* fileOf(writer, encoded(linesOf(writer, input, onLoss)), scratch)
  } finally {
    await draft.close()
  }
}

async function* encoded(lines: AsyncIterable<WrittenLine>): AsyncGenerator<Uint8Array> {
  for await (const { text } of lines) yield utf8.encode(text)
}

/** A part of a session, and the writer of a format for it. The caller closes the draft. */
export interface Drafted extends Writable {
  readonly part: SessionPart
  readonly draft: Awaited<ReturnType<typeof writerInput>>
}

/** Returns a part of a session as input of the writer of its format. Throws as `exportSession`. */
export async function drafted(
  reader: Reader,
  text: string,
  { now }: Pick<Env, 'now'>,
  { format: name, ...choice }: ExportChoice & { readonly format?: string },
): Promise<Drafted> {
  const format = await formatOf(reader, text, name)
  const part = await partOf(reader, text, { ...choice, onePath: !format.writer.branched })
  return { ...format, part, draft: await writerInput(reader, part, format, now) }
}

/** Yields the lines of a draft, and reports their losses. */
export async function* linesOf(
  writer: FormatWriter,
  draft: Draft,
  onLoss?: (loss: Loss) => void,
): AsyncGenerator<WrittenLine> {
  for (const loss of draft.losses) onLoss?.(loss)
  for await (const line of writer.lines(draft)) {
    if ('code' in line) onLoss?.(line)
    else yield line
  }
}

/** Returns the format with a name, else the session's own if it can be written. Throws `no-format`. */
async function formatOf(reader: Reader, text: string, name?: string): Promise<Writable> {
  const wanted = name ?? (await resolveSessionOrEntry(reader, text)).session?.meta.format
  const format = shapeNamed(wanted ?? OWN) ?? (name === undefined ? shapeNamed(OWN) : undefined)
  if (!format)
    throw new SessError('no-format', wanted ?? OWN, {
      hint: `choose one of ${SHAPES.map((known) => known.name).join(', ')}`,
    })
  return format
}

/** The format that carries everything. */
const OWN = 'sess'
