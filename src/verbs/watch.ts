import { iso } from '../model/time.ts'
import type { WatchEvent, WatchedPlaces } from '../ops/watch.ts'
import { CHOOSING, checkChoice, errorData, wantedBy } from './importing.ts'
import type { InputOf } from './input.ts'
import { machineOf, type VerbContext } from './open.ts'
import { anyOf, anything, mapOf, nullable, object } from './schema.ts'
import { stream } from './stream.ts'
import { sentAs } from './verb.ts'
import { IMPORTED, IMPORTED_SOMETIMES, timestamp } from './wire.ts'

/** A file that had something new, and the time at which it was imported. */
export const watchedSchema = object({ time: nullable(timestamp), ...IMPORTED }, IMPORTED_SOMETIMES)

/** An event with its time, in milliseconds since 1970. */
export interface TimedEvent {
  readonly time: number
  readonly event: WatchEvent
}

export const watch = stream({
  name: 'watch',
  summary: 'import continuously what agents write',
  effect: 'write',
  operations: 'several',
  input: CHOOSING,
  item: sentAs(anyOf(watchedSchema, object({ error: mapOf(anything) })), ({ time, event }: TimedEvent) => {
    if ('waits' in event) return { error: errorData(event.waits) }
    return 'error' in event ? { error: errorData(event.error) } : { time: iso(time), ...event }
  }),
  events: async function* (context, input) {
    yield* (await watchWith(context, input)).events
  },
})

/** Folders that are watched, and what happens in them. */
interface Watching extends Pick<WatchedPlaces, 'places' | 'missing'> {
  readonly events: AsyncIterable<TimedEvent>
}

/** Returns what is watched, and the events: files that had something new, and errors. Throws as `watchPlaces`. */
export async function watchWith(
  context: VerbContext,
  { path: paths, agent, ...choosing }: InputOf<typeof CHOOSING>,
): Promise<Watching> {
  await checkChoice(choosing)
  const { repo, where, signal = new AbortController().signal } = context
  const { watchSessions } = await import('../ops/watch.ts')
  const wanted = { paths, only: wantedBy(choosing), machine: machineOf(context), signal }
  const watched = watchSessions(repo, agent === undefined ? wanted : { ...wanted, agent })
  return { ...watched, events: timed(watched.events, where.now) }
}

async function* timed(events: AsyncIterable<WatchEvent>, now: () => number): AsyncGenerator<TimedEvent> {
  for await (const event of events)
    if (!('newObjects' in event) || event.newObjects > 0) yield { time: now(), event }
}
