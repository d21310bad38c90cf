import { did } from '../../text/text.ts'
import { init, initIn } from '../../verbs/init.ts'
import { findStore, initLocation } from '../../verbs/surroundings.ts'
import { defineCommand } from '../define.ts'
import { answerOf, outputOf } from '../present.ts'
import { actAsOwner } from '../sudo.ts'

/** `sess init`: creates a store. */
export const command = defineCommand({
  effect: init.effect,
  help: `Creates the store named by --store or $SESS_STORE, else .sess in this folder. An existing store is not changed.
Commands use the nearest .sess in this folder or above it, else the store of the user.`,
  examples: [
    ['sess init', 'for this folder and its subfolders'],
    ['sess init --store ~/notes', 'in another folder'],
  ],
  output: outputOf('One object.', init.output),
  run: async (call) => {
    const at = initLocation(call.options.store, call.platform)
    const found = findStore(call.options.store, call.platform)
    if (found.isFound && found.dir === at && call.refusal) throw call.refusal
    actAsOwner(at, call.platform)
    const made = await initIn(at, () => call.repo({ create: true, at }))
    return answerOf(init, made, {
      render: () => [
        [made.created ? `${did(call, 'Created')} a store in ${at}` : `There is already a store in ${at}`],
      ],
    })
  },
})
