import { listSessions } from '../../ops/list.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { sessionTable } from '../render/sessions.ts'

/** `sess ls`: lists the sessions. */
export const define: Define = (command, act) => {
  command.addHelpText('after', '\nThe session that was added to last comes first.').action(
    act(async (call) => {
      const { io, world } = call
      const repo = await call.repo()
      const sessions = await listSessions(repo)
      if (io.json) {
        for (const session of sessions) await io.data(session)
        return
      }
      if (sessions.length === 0) await io.note("no sessions yet: type 'sess import PATH' to take some in")
      else
        for (const line of sessionTable(sessions, { columns: io.columns, zone: world.zone }))
          await io.print(...line)
    }),
  )
  examples(command, [
    ['sess ls', 'every session, the one added to last first'],
    ['sess ls --json', 'the same for a program, with all that is known'],
  ])
}
