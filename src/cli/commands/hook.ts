import { setTimeout } from 'node:timers/promises'
import { counted } from '../../text/text.ts'
import { noteTold, settleWaiting } from '../../verbs/hook.ts'
import { boolean, integer, object } from '../../verbs/schema.ts'
import { liveFolderOf } from '../../verbs/settle.ts'
import { defineCommand, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { file, flag, option, optional, text } from '../parameters.ts'
import { inputBytes } from '../stdin.ts'

/** The most bytes that are read of what an agent tells. */
const MAX_TOLD = 16 << 20

/**
 * `sess hook`: notes that an agent wrote, and imports it. What agents call is `src/live/short.ts`, which loads none of this
 * and leaves the import to a process of its own.
 */
export const command = defineCommand({
  effect: 'write',
  arguments: { agent: optional(text('agent'), 'the format of the agent that calls: claude-code, codex, …') },
  options: {
    settle: flag('only import what hooks have noted', { excludes: ['agent'] }),
    folder: option({ ...file('dir'), kind: 'folder' }, 'the folder of the notes'),
  },
  help: `Agents call it once 'sess setup' has added it to their settings. It reads from standard input what the agent tells of the
session (session_id, transcript_path, cwd), and imports the file of the session as soon as it is complete. Called by an agent it
prints nothing, always ends with 0 and imports in a process that ends within ten seconds.`,
  examples: [
    ['sess hook --settle', 'import what hooks have noted and nobody has imported yet'],
    ['sess hook --settle -n', 'count it'],
  ],
  output: output('One object.', object({ settled: boolean, waiting: integer })),
  run: async (call, { agent, folder = liveFolderOf(call) }) => {
    if (agent !== undefined && !call.dryRun) noteTold(call, agent, await toldIn(call), folder)
    const result = await settleWaiting(call, {
      folder,
      now: Date.now,
      wait: (milliseconds) => setTimeout(milliseconds),
    })
    return {
      data: result,
      render: () => [
        [result.waiting === 0 ? 'nothing waits' : `${counted(result.waiting, 'note')} of hooks wait`],
      ],
    }
  },
})

const toldIn = async ({ platform }: Invocation): Promise<string> =>
  new TextDecoder().decode(await inputBytes(platform.stdin, MAX_TOLD))
