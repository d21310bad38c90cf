import { defined } from '../model/json.ts'
import { RESUME_FORMATS, type Resume, resumeOf } from '../ops/resume.ts'
import { current, optional } from './input.ts'
import { machineOf } from './open.ts'
import { arrayOf, boolean, described, nullable, object, string } from './schema.ts'
import { choice, session } from './values.ts'
import { output, verb } from './verb.ts'

/** The properties of a command that resumes a session that depend on the agent. */
export const AGENT_SOMETIMES = {
  take: described('the command to run first, by which the agent imports the file', arrayOf(string)),
  opens: described('how to open it if the agent has no command; that is empty then', string),
}

export const resume = verb({
  name: 'resume',
  summary: 'return the command that resumes a session in its agent',
  effect: 'read',
  input: {
    session: current(session(), 'its id, title, or a prefix of its id'),
    format: optional(choice(RESUME_FORMATS, 'name'), 'resume it in this agent'),
  },
  output: output<Resume>(
    object(
      {
        session: string,
        title: nullable(string),
        format: string,
        agent: described('its usual name', string),
        id: described('the id that the session has there', string),
        path: string,
        cwd: described('the folder in which to run the command: where the agent finds the session', string),
        cwdExists: described('whether that folder exists', boolean),
        command: described('a list of arguments', arrayOf(string)),
        upToDate: described('whether the agent has the session as it is here', boolean),
      },
      AGENT_SOMETIMES,
    ),
  ),
  run: (context, { session: name, format }) =>
    resumeOf(context.repo, name, { ...machineOf(context), ...defined({ format }) }),
})
