import { defined } from '../model/json.ts'
import { exportToAgent } from '../ops/export/destinations.ts'
import type { Loss } from '../ops/export/export.ts'
import {
  EXPORTED,
  filesIn,
  optionsOf,
  WRITTEN,
  WRITTEN_SOMETIMES,
  type WrittenSession,
  writtenOutput,
} from './exporting.ts'
import { flag } from './input.ts'
import { machineOf } from './open.ts'
import { AGENT_SOMETIMES } from './resume.ts'
import { arrayOf, described, object, string } from './schema.ts'
import { verb } from './verb.ts'

/** The properties that are known of a session that was written for an agent. */
export const AGENT = {
  id: described('with --to-agent: the id that the session has there', string),
  format: string,
  cwd: described('the folder in which to start the agent', string),
  command: described('the command that resumes it there, as a list of arguments', arrayOf(string)),
}

/** A session that was written for an agent. */
interface InstalledSession extends WrittenSession {
  readonly id: string
  readonly format: string
  readonly cwd: string
  readonly command: readonly string[]
  readonly take?: readonly string[]
  readonly opens?: string
}

export const exportAgent = verb({
  name: 'export-agent',
  summary: 'install a session for the agent of its format, and return the command that resumes it',
  effect: 'write',
  input: { ...EXPORTED, force: flag('overwrite an existing file') },
  output: writtenOutput<InstalledSession>(
    object({ ...WRITTEN, ...AGENT }, { ...WRITTEN_SOMETIMES, ...AGENT_SOMETIMES }),
  ),
  run: async (context, { session: name, force, ...asked }) => {
    const losses: Loss[] = []
    const how = await optionsOf(context, asked, (loss) => losses.push(loss))
    const options = { ...how, ...machineOf(context), force }
    const done = await exportToAgent(context.repo, name, options, filesIn(context))
    const { file, id, format, cwd, command, take, opens } = done
    return { session: name, ...file, losses, id, format, cwd, command, ...defined({ take, opens }) }
  },
})
