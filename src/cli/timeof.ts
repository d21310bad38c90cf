import { SessError } from '../model/errors.ts'
import { parseWhen } from '../model/when.ts'
import type { Call } from './call.ts'

/** Reads a time that somebody typed, in milliseconds since 1970, or throws `bad-usage`. */
export function timeOf({ world }: Call, text: string): number {
  const time = parseWhen(text, world.env.now(), world.zone)
  if (time !== undefined) return time
  throw new SessError('bad-usage', `'${text}' is not a time`, {
    hint: 'write a duration such as 12h, 3d, 2w, or a day such as yesterday, 2026-04-01',
  })
}
