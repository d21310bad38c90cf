import { revParse } from '../../ops/show.ts'
import type { Define } from '../call.ts'

/** `sess rev-parse`: gives the full oid of a revision. */
export const define: Define = (command, act) => {
  command.argument('<revision>', 'a session or an entry').action(
    act(async (call, revision: string) => {
      const oid = await revParse(await call.repo(), revision)
      await (call.io.json ? call.io.data({ oid }) : call.io.print(oid))
    }),
  )
}
