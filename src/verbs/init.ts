import { type InitializedStore, initStore } from '../ops/init.ts'
import { required } from './input.ts'
import { openStore, type Store } from './open.ts'
import { boolean, object, string } from './schema.ts'
import { folder } from './values.ts'
import { folderVerb, output } from './verb.ts'

export const init = folderVerb({
  name: 'init',
  summary: 'create a store',
  effect: 'write',
  input: { dir: required(folder(), 'the folder of the store; an existing store is not changed') },
  output: output(object({ store: string, id: string, created: boolean })),
  run: async ({ env, command, actor, dryRun }, { dir }) => {
    let made: Store | undefined
    try {
      return await initIn(dir, async () => {
        made = await openStore(dir, { create: true, env, command, actor, dryRun })
        return made
      })
    } finally {
      await made?.close()
    }
  },
})

/** Makes a store in a folder; an interface that keeps it open opens it itself. Throws as `openStore`. */
export const initIn = (dir: string, open: () => Promise<Store>): Promise<InitializedStore> =>
  initStore(dir, open)
