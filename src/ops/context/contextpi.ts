import type { Item } from '../../formats/pi/foreign.ts'
import {
  type MessageAlone,
  messageAlone,
  type Origin,
  type PiContext,
  piContext,
} from '../../formats/pi/messages.ts'
import { fullViewOf } from '../../formats/registry.ts'
import type { ContextItem, Part, ContextOptions as Rules } from '../../graph/context.ts'
import { type Awaitable, andThen } from '../../model/awaitable.ts'
import type { Json } from '../../model/json.ts'
import type { Backend, Row } from '../../repo/backend.ts'
import { valueAt } from '../../repo/records.ts'
import type { Repo } from '../../repo/repo.ts'
import { locate, type Place } from '../../repo/revision.ts'
import { type ContextOptions, gatherAt } from '../context.ts'
import type { Told } from './contextaccess.ts'
import { PathRecords } from './pathrecords.ts'

/** The versions of pi whose contexts differ. */
export const PI_VERSIONS = ['1.5', '0.73'] as const

/** How a context of pi is made. */
export interface PiContextOptions extends ContextOptions {
  /** Of pi 1.5 unless said. 0.73 knew no edits of its context, and no system prompt that a compaction carries. */
  readonly version?: (typeof PI_VERSIONS)[number]
}

const RULES: Readonly<Record<(typeof PI_VERSIONS)[number], Rules>> = {
  '1.5': {},
  '0.73': { edits: false, checkpoints: false },
}

/** Gives the context as pi's own `buildSessionContext` does, with times from the session that is named. */
export async function piContextOf(
  repo: Repo,
  revision: string,
  { version = '1.5', ...options }: PiContextOptions = {},
): Promise<PiContext> {
  return repo.read(async (backend) => {
    const at = await locate(backend, revision, repo.env.cwd)
    const origins = new Origins(backend, at)
    try {
      // A budget weighs what items mean, so that all of them are kept.
      const told = options.budget === undefined ? { told: origins.told } : {}
      const gathering = { ...options, ...RULES[version], view: fullViewOf, ...told }
      const context = await gatherAt(backend, at, gathering)
      await origins.readAll(context.items)
      return piContext(context, (row) => origins.at(row))
    } finally {
      await origins.close()
    }
  })
}

/** Where the entries of a context come from: their records in the session that is asked, else their bodies. */
class Origins {
  readonly #backend: Backend
  readonly #finder: PathRecords
  readonly #known = new Map<Row, Origin>()

  constructor(backend: Backend, { session }: Place) {
    this.#backend = backend
    this.#finder = new PathRecords(backend, session)
  }

  /** Gives a message of pi as it is: of its view only what it calls is asked for then. */
  readonly told: Told = (node, part) =>
    andThen(this.#read(node), (origin) => {
      const message = messageAlone(origin)
      if (message) return itemOf(node, part, message)
      this.#known.set(node, origin)
      return undefined
    })

  /** Reads where those items come from that were not told. */
  async readAll(items: readonly Item<Row>[]): Promise<void> {
    const left = items.filter(({ messages }) => messages === undefined)
    const rows = new Set(left.flatMap(({ node, edit }) => (edit === undefined ? [node] : [node, edit])))
    for (const row of [...rows].sort((a, b) => b - a))
      if (!this.#known.has(row)) this.#known.set(row, await this.#read(row))
  }

  at(row: Row): Origin | undefined {
    return this.#known.get(row)
  }

  #read(row: Row): Awaitable<Origin> {
    return andThen(this.#backend.node(row), ({ type }) =>
      andThen(this.#finder.find(row), (found) => {
        // Of those of other dialects only the time counts.
        if (!type.startsWith('pi/')) return originAs(type, null, found?.time)
        return andThen(found && valueAt(this.#backend, found), (value) =>
          value === undefined
            ? andThen(this.#backend.body(row), (body) => originAs(type, body, found?.time))
            : originAs(type, value, found?.time),
        )
      }),
    )
  }

  /** Lets go of what is being read. */
  close(): Promise<void> {
    return this.#finder.close()
  }
}

const originAs = (type: string, value: Json, time: number | undefined): Origin =>
  time === undefined ? { type, value } : { type, value, time }

const itemOf = (
  node: Row,
  part: Part,
  { view, messages }: MessageAlone,
): ContextItem<Row> & Pick<Item<Row>, 'messages'> => ({ node, part, view, messages })
