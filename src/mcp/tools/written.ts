import { boolean, described, integer, nullable, string } from '../../verbs/schema.ts'
import type { Terms, Written } from '../../verbs/verb.ts'

/** The properties of an answer that say which operation was made. */
export const WRITTEN = {
  operation: described('its number; null where nothing was changed', nullable(integer)),
  repeated: described('whether an earlier call with the same key made it', boolean),
  undo: described('the command with which a person takes it back', nullable(string)),
}

/** Returns the same of a change that was made, or that was only tried. */
export const writtenData = (
  { operation, repeated }: Written<unknown>,
  { dryRun = false }: Terms,
): object => ({
  operation,
  repeated,
  undo: operation === null ? null : `sess undo ${operation}`,
  ...(dryRun && { undo: null }),
})
