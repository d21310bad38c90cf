import type { McpServer } from '@modelcontextprotocol/server'
import { described, object, string } from '../verbs/schema.ts'
import { schemaFor } from './jsonschema.ts'

/** Requests of the model in the user's name, which the user picks from the menu of the client. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'recall',
    {
      title: 'Recall former work',
      description: 'Find what was said and done about a topic in earlier sessions of all agents.',
      argsSchema: schemaFor<{ topic: string }>(object({ topic: described('what to look for', string) })),
    },
    ({ topic }) =>
      asked(`Find out from earlier sessions what was said and done about this: ${topic}

Call search with two or three words that must have been said, then show with the oid of the best hit. Tell me what was decided and why, and cite the session, the oid and the time of each source.`),
  )
  server.registerPrompt(
    'go-on',
    {
      title: 'Go on with a session',
      description: 'Continue the work of an earlier session, of any agent.',
      argsSchema: schemaFor<{ session: string; goal: string }>(
        object({
          session: described('its id or its title', string),
          goal: described('what is to be done', string),
        }),
      ),
    },
    ({ session, goal }) =>
      asked(
        `Call context with the revision ${JSON.stringify(session)} and the goal ${JSON.stringify(goal)}. Take the briefing as background, check what it says against the files, then do this: ${goal}`,
      ),
  )
}

const asked = (text: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
})
