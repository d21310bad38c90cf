import { listSessions } from '../../ops/list.ts'
import type { Define } from '../call.ts'
import { sessionTable } from '../render/sessions.ts'

/** `sess ls`: lists the sessions. */
export const define: Define = (command, act) => {
  command.addHelpText('after', '\nThe session that was added to last comes first.').action(
    act(async (call) => {
      const { io, world } = call
      const sessions = await listSessions(await call.repo())
      if (io.json) for (const session of sessions) await io.data(session)
      else if (sessions.length === 0)
        await io.note("No sessions yet: type 'sess import PATH' to take some in")
      else for (const line of sessionTable(sessions, io.columns, world.zone)) await io.print(...line)
    }),
  )
}
