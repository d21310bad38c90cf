import { fullViewOf, viewOf } from '../../formats/registry.ts'
import type { Json } from '../../model/json.ts'
import { jsonPieces } from '../../model/jsonpieces.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Setting } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { resolveTarget } from '../../repo/revision.ts'
import {
  accessTo,
  type ContextMessage,
  type ContextNotes,
  type ContextOptions,
  gather,
  type NeutralContext,
  neutralContext,
  type RequestFormat,
  requestIn,
} from './context.ts'
import { type OriginSource, Origins, type PiContextOptions, piContextAt } from './picontext.ts'
import { PutAway } from './putaway.ts'

/** The contexts that are printed as JSON. */
export type PrintedFormat = 'json' | 'pi' | RequestFormat

/** How a context is printed. */
export interface PrintedOptions extends PiContextOptions {
  /** Whether a request comes in an object with its notes, as `requestOf` returns it. */
  readonly isNoted?: boolean
}

/**
 * Yields the JSON text of a context, in pieces, however long it is: texts are read while they are printed. Passes its
 * notes to `onNotes` before, again where it is read again; one of pi has none. Throws as `contextOf`.
 */
export async function* contextPieces(
  repo: Repo,
  revision: string,
  format: PrintedFormat,
  options: PrintedOptions,
  onNotes: (notes: ContextNotes) => void,
): AsyncGenerator<string> {
  yield* repo.stream((reader) => {
    if (format === 'pi') return piPieces(repo, reader, revision, options)
    return format === 'json'
      ? neutralPieces(repo, reader, revision, options, onNotes)
      : requestPieces(repo, reader, revision, { ...options, format }, onNotes)
  })
}

async function* neutralPieces(
  { env }: Repo,
  reader: Reader,
  revision: string,
  options: PrintedOptions,
  onNotes: (notes: ContextNotes) => void,
): AsyncGenerator<string> {
  const shortener = shortenerFor(reader, viewOf, { random: env.random })
  const found = await neutralContext(
    reader,
    await gather(reader, revision, { ...options, valid: true, shortener }),
  )
  onNotes(found)
  yield* shortener.putBack(jsonPieces(found as unknown as Json))
}

async function* requestPieces(
  { env }: Repo,
  reader: Reader,
  revision: string,
  { format, isNoted = false, ...options }: PrintedOptions & { readonly format: RequestFormat },
  onNotes: (notes: ContextNotes) => void,
): AsyncGenerator<string> {
  const shortener = shortenerFor(reader, fullViewOf, {
    random: env.random,
    argumentsAreText: format !== 'anthropic',
    wellFormed: true,
  })
  const gathering = { ...options, valid: true, view: fullViewOf, shortener }
  const found = await requestIn(reader, await gather(reader, revision, gathering), format)
  onNotes(found)
  yield* shortener.putBack(jsonPieces(isNoted ? (found as unknown as Json) : found.request))
}

async function* piPieces(
  { env }: Repo,
  reader: Reader,
  revision: string,
  options: PrintedOptions,
): AsyncGenerator<string> {
  const at = await resolveTarget(reader, revision)
  const stored = accessTo(reader, fullViewOf)
  const away: PutAway<EntryHandle | OriginSource> = new PutAway(
    async (source) =>
      typeof source === 'object'
        ? { value: await origins.value(source) }
        : { view: await stored.view(source) },
    { random: env.random },
  )
  const origins = new Origins(reader, at, (source, value) => away.shortValue(source, value))
  try {
    const found = await piContextAt(reader, at, origins, options, away)
    yield* away.putBack(jsonPieces(found as unknown as Json))
  } finally {
    await origins.close()
  }
}

/** A context whose messages are still to be read. */
export interface ContextHead extends Setting, ContextNotes {
  /** The number of its messages. */
  readonly count: number
}

/**
 * Yields the messages of a context, which are read one by one. Passes what else there is of it to `onHead` before, again
 * where it is read again. Throws as `contextOf`.
 */
export async function* contextMessages(
  repo: Repo,
  revision: string,
  options: ContextOptions,
  onHead: (head: ContextHead) => void,
): AsyncGenerator<ContextMessage> {
  yield* repo.stream(async function* (reader) {
    const shortener = shortenerFor(reader, viewOf, { random: repo.env.random })
    const gathered = await gather(reader, revision, { ...options, valid: true, shortener })
    const { messages, ...head }: NeutralContext = await neutralContext(reader, gathered)
    onHead({ ...head, count: messages.length })
    for (const message of messages) {
      const { blocks } = await shortener.long(message)
      yield { ...message, blocks }
    }
  })
}

const shortenerFor = (
  reader: Reader,
  view: typeof viewOf,
  how: ConstructorParameters<typeof PutAway>[1],
): PutAway<EntryHandle> => {
  const stored = accessTo(reader, view)
  return new PutAway(async (handle) => ({ view: await stored.view(handle) }), how)
}
