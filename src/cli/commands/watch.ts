import { resolve } from 'node:path'
import { iso } from '../../model/time.ts'
import { agentPlaces } from '../../ops/discover.ts'
import { watchPlaces } from '../../ops/watch.ts'
import { homeOf } from '../../repo/environment.ts'
import { kindOf } from '../../sources/files.ts'
import { type SessionFolder, sessionFolderAt } from '../../sources/sessionfolders.ts'
import { counted, firstLine, styled } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { nullable, object } from '../../verbs/schema.ts'
import { IMPORTED, IMPORTED_SOMETIMES, timestamp } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { errorData } from '../errors/hints.ts'
import { CHOOSING_OPTIONS, machineOf, wantedBy } from '../importoptions.ts'
import { file, several } from '../parameters.ts'
import { watchedFile } from '../render/import.ts'

/** `sess watch`: imports continuously what agents write. */
export const command = defineCommand({
  effect: 'write',
  endless: true,
  reportsStop: true,
  arguments: {
    path: several(file('path'), 'files and folders; by default, the sessions of all agents on this machine'),
  },
  options: CHOOSING_OPTIONS,
  help: `Imports what is there, then every change within a second, until Ctrl-C. Prints a line for each file that had something
new. Other commands and agents can use the store meanwhile. Changes made while nothing watched are imported at the
next start. 'sess undo' skips what watch imported; 'sess undo --any' does not.`,
  examples: [
    ['sess watch', 'import from all agents on this machine'],
    ['sess watch --agent claude --json', 'print a line of JSON for each new state of a file of Claude Code'],
  ],
  output: output(
    'A line for each file that has something new.',
    object({ time: nullable(timestamp), ...IMPORTED }, IMPORTED_SOMETIMES),
  ),
  run: async (call, { path: paths, ...choosing }, out) => {
    const { io, platform } = call
    const only = wantedBy(choosing)
    const repo = await call.repo({ create: true, following: true })
    const places =
      paths.length === 0
        ? agentPlaces(repo, machineOf(call, choosing))
        : paths.map((path) => sessionFolderAt(resolve(platform.env.cwd, path)))
    await io.note(`${placesText(places)}; Ctrl-C stops`)
    for (const path of paths)
      if (kindOf(resolve(platform.env.cwd, path)) === 'missing')
        await io.note(`'${firstLine(path)}' does not exist yet: it is imported once it does`)
    await io.flush()
    const home = paths.length === 0 ? { home: homeOf(platform) } : {}
    for await (const event of watchPlaces(repo, places, { only, signal: call.signal, ...home })) {
      if ('waits' in event || 'error' in event) {
        const error = 'waits' in event ? event.waits : event.error
        if (io.json) await io.noteData({ error: { ...errorData(error) } })
        else await io.note(styled('red', 'sess:'), ` ${error.message}`)
      } else if (event.newObjects > 0) {
        const time = iso(platform.env.now())
        if (io.json) await out.data({ time, ...event })
        else await io.print(...watchedFile(event, minute(time, platform.zone), platform.env.cwd))
      }
      await io.flush()
    }
  },
})

function placesText(places: readonly SessionFolder[]): string {
  // A folder of work exists whether its agent ever ran or not.
  const there = places.filter(
    ({ agent, folder, flat }) => kindOf(folder) === 'folder' && (agent === '' || !flat),
  )
  const agents = new Set(there.map(({ agent }) => agent).filter((agent) => agent !== ''))
  if (there.length === 0) return 'no agent keeps sessions here yet: waiting for one that does'
  const folders = `watching ${counted(there.length, 'folder')}`
  return agents.size === 0 ? folders : `${folders} of ${[...agents].join(', ')}`
}
