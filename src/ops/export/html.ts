import {
  type Draft,
  type DraftEntry,
  type FormatWriter,
  type Index,
  type Lines,
  nameOf,
} from '../../formats/core/writer.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { addTo } from '../../model/lists.ts'
import { iso } from '../../model/time.ts'
import type { Turn } from '../../model/turn.ts'
import type { Block, View } from '../../model/view.ts'
import type { LogEntry } from '../entries.ts'
import { type PlacedTurn, turnsOf } from '../read/turns.ts'

/**
 * Writes a path as one page that needs nothing else: no script, no network, images in it. It is painted by the components
 * of the web page.
 */
export const html: FormatWriter = {
  branched: false,
  isForPeople: true,
  unresumed: 'it is a page to read',
  place: ({ id }) => [`${id}.html`],
  lines,
}

/** The entries of a path are painted in pieces of so many, so that a long one takes no more memory than a short one. */
const PIECE = 64

/** Entries that follow one another, and the place of the first one. */
interface Piece {
  readonly from: Index
  readonly entries: readonly LogEntry[]
}

async function* lines(draft: Draft): Lines {
  // Loaded on use: no other format is painted.
  const { FILE_END, FileLabel, fileBegin, fileLook, fileTurn } = await import('../../page/file.tsx')
  const labels = new Map<Oid, string[]>()
  for (const [name, at] of draft.labels) addTo(labels, await draft.oid(at), name)
  let look: ReturnType<typeof fileLook> | undefined
  const pictures = new Pictures()
  for await (const [piece, turns] of turnsIn(draft)) {
    if (!look) {
      const format = dialectOf(piece.entries[0])
      yield { text: fileBegin({ ...aboutOf(draft), format }) }
      look = fileLook(
        { format, folder: draft.cwd ?? null },
        {
          picture: (oid, mediaType, bytes) => pictures.take(oid, mediaType, bytes),
          after: (oid) => labels.get(oid as Oid)?.map((name) => FileLabel({ name })),
        },
      )
    }
    pictures.hold(piece.entries)
    for (const { place, turn } of turns) yield { text: fileTurn(turn, look), entry: piece.from + place }
    yield* lossesIn(piece.entries, turns)
  }
  if (!look) yield { text: fileBegin({ ...aboutOf(draft), format: 'sess' }) }
  yield { text: FILE_END }
}

const aboutOf = (
  draft: Draft,
): { id: string; title: string; folder: string | null; created: string | null; entries: number } => ({
  id: draft.id,
  title: nameOf(draft),
  folder: draft.cwd ?? null,
  created: iso(draft.created),
  entries: draft.count,
})

const dialectOf = (entry: LogEntry | undefined): string => entry?.type.split('/')[0] ?? 'sess'

/** Yields the pieces of a path with their turns: a call and its result may be in two of them. */
async function* turnsIn(draft: Draft): AsyncGenerator<readonly [Piece, readonly PlacedTurn[]]> {
  let before: readonly LogEntry[] = []
  let present: Piece | undefined
  const turnsOfPiece = (after: readonly LogEntry[]): readonly [Piece, readonly PlacedTurn[]][] =>
    present ? [[present, turnsOf(present.entries, { before, after }, { whole: true, meta: true })]] : []
  let [from, entries]: [number, LogEntry[]] = [0, []]
  for await (const entry of draft.entries()) {
    entries.push(logEntryOf(draft, entry))
    if (entries.length < PIECE) continue
    yield* turnsOfPiece(entries)
    before = present?.entries ?? []
    present = { from, entries }
    ;[from, entries] = [from + entries.length, []]
  }
  yield* turnsOfPiece(entries)
  if (entries.length === 0) return
  before = present?.entries ?? []
  present = { from, entries }
  yield* turnsOfPiece([])
}

/** Returns an entry of a draft as turns are made of it. The usage of its model calls is no part of a page. */
function logEntryOf({ id }: Draft, { oid, type, view, time, native }: DraftEntry): LogEntry {
  return {
    oid,
    parents: [],
    type,
    role: view.role,
    time: iso(time),
    text: null,
    session: id,
    native: native ?? null,
    view,
  }
}

type Image = Block & { readonly kind: 'image' }

/** The images of the entries that are painted, by their entries. */
class Pictures {
  #images = new Map<string, Image[]>()

  hold(entries: readonly LogEntry[]): void {
    this.#images = new Map(
      entries.flatMap(({ oid, view }) => {
        const images = view.blocks.filter((block) => block.kind === 'image')
        return images.length === 0 ? [] : [[oid, images]]
      }),
    )
  }

  /** Returns the next image of an entry as the address of its data; undefined where it cannot be shown. */
  take(oid: string, mediaType: string, bytes: number): string | undefined {
    const images = this.#images.get(oid) ?? []
    const at = images.findIndex((image) => image.mediaType === mediaType && image.bytes === bytes)
    const [image] = at < 0 ? [] : images.splice(at, 1)
    return image && isShown(image) ? `data:${image.mediaType};base64,${image.data}` : undefined
  }
}

/** Returns whether an image can be part of the page: it has bytes, and is of a passive type. */
const isShown = (block: Block): boolean =>
  block.kind === 'image' &&
  /^image\/(?:png|jpeg|gif|webp|avif)$/.test(block.mediaType) &&
  /^[A-Za-z0-9+/]+={0,2}$/.test(block.data ?? '')

/** Yields the entries that the page does not show, and the images. */
function* lossesIn(
  entries: readonly LogEntry[],
  turns: readonly PlacedTurn[],
): Lines extends AsyncIterable<infer T> ? Generator<T> : never {
  const shown = new Set(turns.flatMap(({ turn }) => oidsIn(turn)))
  for (const { oid, view } of entries) {
    if (!shown.has(oid) && !isEmpty(view)) yield { code: 'opaque', oid }
    if (view.blocks.some((block) => block.kind === 'image' && !isShown(block))) yield { code: 'image', oid }
  }
}

const oidsIn = ({ parts }: Turn): Oid[] =>
  parts.flatMap((part) => [part.oid, ...(part.kind === 'tool' && part.result ? [part.result.oid] : [])])

/** Returns whether an entry has text that is empty: nothing of it is lost. A result is shown with its call. */
const isEmpty = ({ blocks }: View): boolean =>
  blocks.length > 0 &&
  blocks.every((block) => block.kind === 'toolResult' || ('text' in block && block.text.trim() === ''))
