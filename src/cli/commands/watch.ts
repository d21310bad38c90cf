import { iso } from '../../model/time.ts'
import { counted, firstLine, styled } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { checkChoice } from '../../verbs/importing.ts'
import type { WatchedPlaces } from '../../verbs/types.ts'
import { watch, watchedSchema, watchWith } from '../../verbs/watch.ts'
import { defineCommand, output } from '../define.ts'
import { errorData } from '../errors/hints.ts'
import { watchedFile } from '../render/import.ts'

const { path, agent, format, since, cwd } = watch.input

/** `sess watch`: imports continuously what agents write. */
export const command = defineCommand({
  effect: watch.effect,
  endless: true,
  reportsStop: true,
  arguments: { path },
  options: { agent, format, since, cwd },
  help: `Imports what is there, then every change within a second, until Ctrl-C. Prints a line for each file that had something
new. Other commands and agents can use the store meanwhile. Changes made while nothing watched are imported at the
next start. 'sess undo' skips what watch imported; 'sess undo --any' does not.`,
  examples: [
    ['sess watch', 'import from all agents on this machine'],
    ['sess watch --agent claude --json', 'print a line of JSON for each new state of a file of Claude Code'],
  ],
  output: output('A line for each file that has something new.', watchedSchema),
  run: async (call, input, out) => {
    const { io, platform } = call
    await checkChoice(input)
    const context = await call.context({ create: true, following: 'watch' })
    const { places, missing, events } = await watchWith(context, input)
    await io.note(`${placesText(places)}; Ctrl-C stops`)
    for (const one of missing)
      await io.note(`'${firstLine(one)}' does not exist yet: it is imported once it does`)
    await io.flush()
    for await (const { time, event } of events) {
      if ('waits' in event || 'error' in event) {
        const error = 'waits' in event ? event.waits : event.error
        if (io.json) await io.noteData({ error: { ...errorData(error) } })
        else await io.note(styled('red', 'sess:'), ` ${error.message}`)
      } else if (io.json) await out.data({ time: iso(time), ...event })
      else await io.print(...watchedFile(event, minute(iso(time), platform.zone), platform.env.cwd))
      await io.flush()
    }
  },
})

function placesText(places: WatchedPlaces['places']): string {
  const there = places.filter(({ isThere }) => isThere)
  const agents = new Set(there.map((place) => place.agent).filter((name) => name !== ''))
  if (there.length === 0) return 'no agent keeps sessions here yet: waiting for one that does'
  const folders = `watching ${counted(there.length, 'folder')}`
  return agents.size === 0 ? folders : `${folders} of ${[...agents].join(', ')}`
}
