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
      '\nMakes the store that --store or $SESS_STORE names, else .sess in this folder. One that is there stays as\n' +
        'it is. Without a store of its own a folder uses the nearest .sess upward, else the store of the user.',
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
    ['sess init', 'a store for this folder and those below'],
    ['sess init --store ~/notes', 'a store at a place of your own'],
  ])
}
