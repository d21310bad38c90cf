import { SessError } from '../model/errors.ts'
import type { Invocation } from './invocation.ts'
import { secretFrom } from './stdin.ts'

/** Returns the secret that `--secret -` reads from standard input, if it was given. `line` is the command without it. */
export async function secretsGiven(
  call: Invocation,
  secret: string | undefined,
  line: string,
): Promise<readonly string[]> {
  if (secret === undefined) return []
  if (secret !== '-')
    throw new SessError('bad-usage', '--secret takes only -, so that no secret is typed', {
      hint: `type '${line} --secret - < FILE'`,
    })
  await call.announceInput('type the secret')
  return [await secretFrom(call.platform.stdin)]
}
