import type { Loss } from '../../formats/core/losses.ts'
import type { Draft, FormatWriter, WrittenLine } from '../../formats/core/writer.ts'
import { WRITABLE, type Writable, writableNamed } from '../../formats/registry.ts'
import { SessError } from '../../model/errors.ts'
import { type FindSecrets, joinedTexts } from '../../model/secrets/secret.ts'
import type { Env } from '../../repo/env.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import { opencodeDatabase } from '../../sources/opencodedatabase.ts'
import { Scratch } from '../../sources/scratch.ts'
import { KnownSecrets, Redaction, redactedBytes, redactedDraft } from '../secrets/redaction.ts'
import { SearchedTexts } from '../secrets/searchedtexts.ts'
import { type ExportChoice, partOf, resolveTargetOrSession, type SessionPart } from './selection.ts'
import { gathered, keptBytes, limited, sourceBytes, sourceRecords, wholeBytes } from './sourcebytes.ts'
import { writerInput } from './writerinput.ts'

/** What is exported of a session, and how. */
export interface ExportOptions extends ExportChoice {
  /** The format that it is written in. Its own bytes unless said; of a part of it its own format, else `sess`. */
  readonly format?: string
  /** Only so many bytes. */
  readonly bytes?: number
  /** Put marks in the place of the secrets that this finds. */
  readonly redact?: FindSecrets
  /** Is told of each thing that what is written does not carry. */
  readonly onLoss?: (loss: Loss) => void
}

/** Returns a redaction that knows what is recognised anywhere in the session that a text names. Throws as `resolve`. */
export async function redactionOf(
  repo: Pick<Repo, 'env' | 'yieldToEvents'>,
  reader: Reader,
  text: string,
  secrets: KnownSecrets,
): Promise<Redaction> {
  let count = 0
  for await (const { value } of new SearchedTexts(reader).around(text, repo.env.cwd)) {
    secrets.recognise(joinedTexts(value))
    if (++count % OFTEN === 0) await repo.yieldToEvents()
  }
  return new Redaction(secrets)
}

/** Events run after so many texts. */
const OFTEN = 1000

/** How the pieces of what is exported are given. */
interface Giving {
  /** Each may be valid only until the next one is asked for, which spares a copy. */
  readonly lent?: boolean
}

/**
 * Gives a session as bytes: its source as it was imported, compressed where it came so and neither a limit is set nor
 * anything redacted; with a format or a choice, and where it came from no file, its entries as that format has them.
 * Throws `no-session`, `no-format`, or as `resolve`.
 */
export async function* exportSession(
  repo: Repo,
  text: string,
  { bytes, lent = false, ...options }: ExportOptions & Giving = {},
): AsyncGenerator<Uint8Array> {
  const scratch = new Scratch(repo.dir)
  yield* repo.stream(async function* (reader) {
    const { redact, onLoss } = options
    const redaction =
      redact && (await redactionOf(repo, reader, text, new KnownSecrets(repo.identity.id, redact)))
    const source = isWhole(options) ? await sourceOf(reader, text, repo.env.cwd) : undefined
    if (source?.expunged) onLoss?.({ code: 'expunged' })
    if (source && redaction) {
      const pieces = { records: sourceRecords(reader, source), tail: keptBytes(reader, source.tail) }
      yield* limited(gathered(redactedBytes(reader, pieces, redaction, onLoss)), bytes)
    } else if (source)
      yield* bytes === undefined ? wholeBytes(reader, source, lent) : sourceBytes(reader, source, bytes, lent)
    else
      try {
        yield* limited(written(reader, text, repo.env, options, redaction, scratch), bytes)
      } finally {
        scratch.close()
      }
  })
}

/** Gives what a writer makes as the bytes of a file: of rows a database. */
export const fileOf = (
  { several }: FormatWriter,
  lines: AsyncIterable<Uint8Array>,
  scratch: Scratch,
): AsyncGenerator<Uint8Array> => (several === 'rows' ? opencodeDatabase(lines, scratch) : gathered(lines))

const isWhole = ({ format, branch, below }: ExportOptions): boolean =>
  format === undefined && branch === undefined && below === undefined

/**
 * Gives the source of a session, or by the id that it has there what it was written to; undefined where it has none, or
 * an entry is named.
 */
async function sourceOf(
  reader: Reader,
  text: string,
  cwd: string,
): Promise<SourceHead | ExportHead | undefined> {
  const { session, handle } = await resolveTargetOrSession(reader, text, cwd)
  return handle === undefined ? (session?.exports.get(text) ?? session?.source) : undefined
}

const utf8 = new TextEncoder()

async function* written(
  reader: Reader,
  text: string,
  env: Clocked,
  { format, branch, below, bare = false, onLoss }: ExportOptions,
  redaction: Redaction | undefined,
  scratch: Scratch,
): AsyncGenerator<Uint8Array> {
  const { draft, writer } = await drafted(reader, text, env, {
    bare,
    ...(branch !== undefined && { branch }),
    ...(below !== undefined && { below }),
    ...(format !== undefined && { format }),
  })
  const told = redaction ? redactedDraft(draft, redaction, onLoss) : draft
  try {
    yield* fileOf(writer, encoded(linesOf(writer, told, onLoss)), scratch)
  } finally {
    await draft.close()
  }
}

async function* encoded(lines: AsyncIterable<WrittenLine>): AsyncGenerator<Uint8Array> {
  for await (const { text } of lines) yield utf8.encode(text)
}

/** The folder that revisions refer to, and the clock. */
type Clocked = Pick<Env, 'cwd' | 'now'>

/** A part of a session on its way into a format. It is to be closed. */
export interface Drafted extends Writable {
  readonly part: SessionPart
  readonly draft: Awaited<ReturnType<typeof writerInput>>
}

/** Gives what is to be written of a session, as writers of its format take it. Throws as `exportSession`. */
export async function drafted(
  reader: Reader,
  text: string,
  { cwd, now }: Clocked,
  { format: name, ...choice }: ExportChoice & { readonly format?: string },
): Promise<Drafted> {
  const format = await formatOf(reader, text, cwd, name)
  const part = await partOf(reader, text, cwd, { ...choice, onePath: !format.writer.branched })
  return { ...format, part, draft: await writerInput(reader, part, format, now) }
}

/** Gives the lines of a draft, and tells what they do not carry. */
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

/** Gives the format of a name, else the session's own where that can be written. Throws `no-format`. */
async function formatOf(reader: Reader, text: string, cwd: string, name?: string): Promise<Writable> {
  const wanted = name ?? (await resolveTargetOrSession(reader, text, cwd)).session?.meta.format
  const format = writableNamed(wanted ?? OWN) ?? (name === undefined ? writableNamed(OWN) : undefined)
  if (!format)
    throw new SessError('no-format', wanted ?? OWN, {
      hint: `choose one of ${WRITABLE.map((known) => known.name).join(', ')}`,
    })
  return format
}

/** The format that holds all that a session has. */
const OWN = 'sess'
