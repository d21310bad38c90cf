import { asString, type Json } from '../../model/json.ts'
import type { Warning } from './splitter.ts'

/** Notices that a record of a tree has no id. */
export const NO_ID: Warning = { code: 'no-id', message: 'it has no id: nothing can name it as its parent' }

/** Returns the id of the parent that a record names, where it was warned of it that it is not there. */
export const lackedIn = (warnings: readonly Warning[], parent: Json | undefined): string | undefined =>
  warnings.some(({ code }) => code === 'dangling-parent') ? asString(parent) : undefined
