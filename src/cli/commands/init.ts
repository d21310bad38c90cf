import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findStore, initLocation } from '../../repo/location.ts'
import { did } from '../../text/text.ts'
import { boolean, object, string } from '../../verbs/schema.ts'
import { defineCommand, output } from '../define.ts'
import { actAsOwner } from '../sudo.ts'

/** `sess init`: creates a store. */
export const command = defineCommand({
  effect: 'write',
  help: `Creates the store named by --store or $SESS_STORE, else .sess in this folder. An existing store is not changed.
Commands use the nearest .sess in this folder or above it, else the store of the user.`,
  examples: [
    ['sess init', 'for this folder and its subfolders'],
    ['sess init --store ~/notes', 'in another folder'],
  ],
  output: output('One object.', object({ store: string, id: string, created: boolean })),
  run: async (call) => {
    const at = initLocation(call.options.store, call.platform)
    const found = findStore(call.options.store, call.platform)
    if (found.isFound && found.dir === at && call.refusal) throw call.refusal
    actAsOwner(at, call.platform)
    const created = !existsSync(join(at, 'sess.json'))
    const { identity } = await call.repo({ create: true, at })
    return {
      data: { store: at, id: identity.id, created },
      render: () => [
        [created ? `${did(call, 'Created')} a store in ${at}` : `There is already a store in ${at}`],
      ],
    }
  },
})
