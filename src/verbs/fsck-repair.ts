import { defined } from '../model/json.ts'
import { type Repair, repairStore } from '../ops/fsck/repairstore.ts'
import { CHECKED, checkSchema, progressOf } from './fsck.ts'
import { optional } from './input.ts'
import { arrayOf, described, integer, nullable, object, type Schema, string, type ValueOf } from './schema.ts'
import { folder } from './values.ts'
import { folderVerb, sentAs } from './verb.ts'
import { refMovesSchema } from './wire.ts'

/** A repair, with checks as an interface prints them. */
interface RepairData<C> {
  readonly before: C
  readonly done: {
    readonly pairs: number
    readonly dropped: number
    readonly operations: readonly number[]
    readonly written: readonly string[]
    readonly aside: string | null
    readonly refs: ValueOf<typeof refMovesSchema>
    readonly lost: readonly string[]
    readonly entries: number
    readonly after: C
  } | null
}

/** Returns the schema of a repair, with checks as an interface prints them. */
export const repairSchema = <C>(check: Schema<C>): Schema<RepairData<C>> =>
  object({
    before: check,
    done: nullable(
      object({
        pairs: described('rows of the database that were copied', integer),
        dropped: described('rows that failed their checksum', integer),
        operations: described('the numbers of operations that only the journal has', arrayOf(integer)),
        written: described('small files of the folder that were written again', arrayOf(string)),
        aside: described('the folder that holds the replaced files, if any', nullable(string)),
        refs: refMovesSchema,
        lost: described('the refs whose newest known value is lost', arrayOf(string)),
        entries: described('recovered from another store, or from source files', integer),
        after: check,
      }),
    ),
  })

export const fsckRepair = folderVerb({
  name: 'fsck-repair',
  summary: 'check the store, and repair the damage',
  effect: 'destructive',
  input: {
    ...CHECKED,
    from: optional(folder(), 'another store to recover lost data from, such as a backup'),
  },
  output: sentAs(repairSchema(checkSchema), (repair: Repair) => repair),
  run: (context, { context: contexts, from }) => {
    const { store, env, command, actor, dryRun } = context
    const how = { env, command, actor, dryRun, contexts, ...defined({ from }) }
    return repairStore(store, { ...how, onProgress: progressOf(context) })
  },
})
