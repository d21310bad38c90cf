import { renameSession } from '../../ops/rename.ts'
import { defineCommand, output } from '../define.ts'
import { required, session, text } from '../parameters.ts'
import { did, firstLine } from '../render/text.ts'
import { nullable, object, string } from '../schema.ts'
import { typed } from '../shellwords.ts'

/** `sess rename`: changes the title of a session. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    session: required(session(), 'its id, title, or a prefix of its id'),
    title: required(text('title'), 'the new title; an empty one clears it'),
  },
  help: 'A later import of the source keeps your title.',
  examples: [
    ["sess rename 3b1f 'Tide table one hour off'", 'set a title'],
    ["sess rename 3b1f ''", 'clear the title'],
  ],
  output: output(
    'One object.',
    object({ session: string, title: nullable(string), before: nullable(string) }),
  ),
  run: async (call, { session: name, title }) => {
    const done = await renameSession(await call.repo(), name, title)
    const { session: id, before } = done
    const was = before === null ? '' : ` (was "${firstLine(before)}")`
    return {
      data: done,
      render: () => [
        [
          done.title === null
            ? `${did(call, 'Cleared')} the title of session ${id}${was}`
            : `${did(call, 'Renamed')} session ${id} to "${firstLine(done.title)}"${was}`,
        ],
      ],
      back: before === done.title ? undefined : `sess rename ${typed(id, before ?? '')}`,
    }
  },
})
