import { resolve } from 'node:path'
import { agentPlaces } from '../../ops/discover.ts'
import { type WatchEvent, watchPlaces } from '../../ops/watch.ts'
import { iso } from '../../repo/time.ts'
import { kindOf } from '../../sources/files.ts'
import { type Place, placeAt } from '../../sources/places.ts'
import type { Call, Define } from '../call.ts'
import { type Choosing, choosingOptions, machineOf, wantedBy } from '../choosing.ts'
import { examples } from '../examples.ts'
import { allFilled } from '../options.ts'
import { watchedFile } from '../render/import.ts'
import { counted, firstLine } from '../render/text.ts'
import { minute } from '../render/time.ts'
import { styled } from '../style.ts'

/** `sess watch`: keeps taking in what agents write. */
export const define: Define = (command, act) => {
  choosingOptions(
    command.argument(
      '[path...]',
      'files and folders; by default, the sessions of all agents on this machine',
      allFilled,
    ),
  )
    .addHelpText(
      'after',
      `
Imports what is there, then every change within a second, until Ctrl-C. Prints a line for each file that had something
new. Other commands and agents can use the store meanwhile. Changes made while nothing watched are imported at the
next start. 'sess undo' skips what watch imported; 'sess undo --any' does not.`,
    )
    .action(
      act(async (call, paths: string[], choosing: Choosing) => {
        const only = wantedBy(call, choosing)
        const machine = machineOf(call, choosing, paths)
        call.endless = true
        const repo = await call.repo({ create: true, following: true })
        const places =
          paths.length === 0
            ? agentPlaces(repo, machine)
            : paths.map((path) => placeAt(resolve(call.world.env.cwd, path)))
        await call.io.note(`${told(places)}; Ctrl-C stops`)
        for (const path of paths)
          if (kindOf(resolve(call.world.env.cwd, path)) === 'missing')
            await call.io.note(`'${firstLine(path)}' is not there yet: it is taken in once it is`)
        await call.io.flush()
        for await (const event of watchPlaces(repo, places, { only, signal: call.signal }))
          await tell(call, event)
      }),
    )
  examples(command, [
    ['sess watch', 'import from all agents on this machine'],
    ['sess watch --agent claude --json', 'print a line of JSON for each new state of a file of Claude Code'],
  ])
}

function told(places: readonly Place[]): string {
  // A folder of work is there, whether its agent ever was or not.
  const there = places.filter(
    ({ agent, folder, flat }) => kindOf(folder) === 'folder' && (agent === '' || !flat),
  )
  const agents = new Set(there.map(({ agent }) => agent).filter((agent) => agent !== ''))
  if (there.length === 0) return 'no agent keeps sessions here yet: waiting for one that does'
  const folders = `watching ${counted(there.length, 'folder')}`
  return agents.size === 0 ? folders : `${folders} of ${[...agents].join(', ')}`
}

/** Prints an event if it is news. */
async function tell({ io, world }: Call, event: WatchEvent): Promise<void> {
  if ('waits' in event || 'error' in event) {
    const error = 'waits' in event ? event.waits : event.error
    if (io.json) await io.noteData({ error: { ...error.data() } })
    else await io.note(styled('red', 'sess:'), ` ${error.message}`)
  } else if (event.newObjects > 0) {
    const time = iso(world.env.now())
    if (io.json) await io.data({ time, ...event })
    else await io.print(...watchedFile(event, minute(time, world.zone), world.env.cwd))
  }
  await io.flush()
}
