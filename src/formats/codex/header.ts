import { asString, field, type Json, type JsonObject } from '../../model/json.ts'
import type { Facts } from '../format.ts'
import { opened } from './body.ts'
import { timeOf } from './time.ts'

const UUID_NAME = /^rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl/i

/**
 * Gathers what a rollout says of its session. The first header is the session's own; later ones came with
 * history that a fork copied.
 */
export class Header {
  readonly #name: string
  #meta: JsonObject | undefined
  #created: number | undefined
  #cwd: string | undefined
  /** The last name given to each thread that the file speaks of; '' is the thread of the file. */
  readonly #names = new Map<string, string>()

  constructor(name: string) {
    this.#name = name
  }

  /** Takes a line of the rollout with its time, in milliseconds since 1970. */
  take(line: JsonObject, time: number | undefined): void {
    this.#created ??= time
    const meta = metaOf(line)
    if (meta && this.#meta === undefined) {
      this.#meta = meta
      this.#created = timeOf(meta.timestamp) ?? this.#created
    }
    const payload = opened(line.payload)
    if (line.type === 'turn_context') this.#cwd ??= asString(payload?.cwd)
    if (line.type === 'event_msg' && payload?.type === 'thread_name_updated') this.#rename(payload)
  }

  #rename(event: JsonObject): void {
    this.#names.set(asString(event.thread_id) ?? '', asString(event.thread_name) ?? '')
  }

  /** Gives what is known so far. */
  facts(): Facts {
    const id = asString(this.#meta?.id) ?? UUID_NAME.exec(this.#name)?.[1]
    const cwd = asString(this.#meta?.cwd) ?? this.#cwd
    const parent = parentIn(this.#meta)
    const title = this.#names.get(id ?? '') ?? this.#names.get('')
    return {
      ...(id === undefined ? {} : { id }),
      ...(title ? { title } : {}),
      ...(parent === undefined ? {} : { parent }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(this.#created === undefined ? {} : { created: this.#created }),
    }
  }
}

/** Gives the thread that started an agent's own, or that a fork was copied from. */
function parentIn(meta: JsonObject | undefined): string | undefined {
  const spawned = field(field(field(meta, 'source'), 'subagent'), 'thread_spawn')
  return (
    asString(meta?.parent_thread_id) ??
    asString(field(spawned, 'parent_thread_id')) ??
    asString(meta?.forked_from_id)
  )
}

/**
 * Gives the header that a line is: the payload of a `session_meta`, or a bare line with an id that is no
 * item.
 */
function metaOf(line: JsonObject): JsonObject | undefined {
  if (line.type === 'session_meta') return opened(line.payload)
  const bare: readonly (Json | undefined)[] = [line.type, line.role, line.payload, line.record_type]
  return bare.every((value) => value === undefined) && asString(line.id) !== undefined ? line : undefined
}
