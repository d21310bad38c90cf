import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { navigate } from '../../ops/navigate.ts'
import { treeMoveSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { flag, label, option, optional, revision, session } from '../parameters.ts'
import { treeMoveAnswer } from '../render/moves.ts'
import { SUMMARY_OPTIONS, summaryFrom } from '../summaryoptions.ts'

/** `sess navigate`: goes to any entry of the tree; for a user message, to before it. */
export const command = defineCommand({
  effect: 'write',
  arguments: { revision: optional(revision(), 'the entry to go to') },
  options: {
    session: option(session(), 'the session, if the revision names none'),
    root: flag('go to before the first entry', { excludes: ['revision'] }),
    digest: flag('leave a digest of the path left, made without a model'),
    label: option(label(), 'a label for the summary or the entry'),
    ...SUMMARY_OPTIONS,
  },
  help: `For a message of the user, the session moves to the entry before it, and the text is printed so that it can be edited
and sent again; for any other entry, the session moves to that entry. The path left keeps its branch, or gets one.
To switch by name, or to stay on a message, use sess switch.`,
  examples: [
    ['sess navigate 3b1f~2', 'go to an entry, or to before a user message'],
    ['sess navigate 3b1f/at-1d9fca05 --digest', 'go to another path, with a digest of this one'],
  ],
  output: output('One object.', treeMoveSchema),
  run: async (call, { revision: name, root, session: owner, digest, label: named, ...from }) => {
    if (!root && name === undefined)
      throw new SessError('bad-usage', 'no revision was named', {
        hint: "type 'sess navigate REVISION', or 'sess navigate --root'",
      })
    const done = await navigate(await call.repo(), name ?? null, {
      ...defined({ session: owner, label: named }),
      ...(digest && { wantsSummary: true }),
      ...(await summaryFrom(call, from)),
    })
    return treeMoveAnswer(call, done)
  },
})
