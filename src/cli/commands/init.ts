import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findStore, initLocation } from '../../repo/location.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'

/** `sess init`: makes a store. */
export const define: Define = (command, act) => {
  command
    .addHelpText(
      'after',
      `
Creates the store named by --store or $SESS_STORE, else .sess in this folder. An existing store is not changed.
Commands use the nearest .sess in this folder or above it, else the store of the user.`,
    )
    .action(
      act(async (call) => {
        const at = initLocation(call.options.store, call.world)
        const found = findStore(call.options.store, call.world)
        if (found.isFound && found.dir === at && call.refusal) throw call.refusal
        const created = !existsSync(join(at, 'sess.json'))
        const { identity } = await call.repo({ create: true, at })
        await (call.io.json
          ? call.io.data({ store: at, id: identity.id, created })
          : call.io.print(created ? `Made a store in ${at}` : `There is a store in ${at} already`))
      }),
    )
  examples(command, [
    ['sess init', 'for this folder and its subfolders'],
    ['sess init --store ~/notes', 'in another folder'],
  ])
}
