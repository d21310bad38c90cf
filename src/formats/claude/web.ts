import { asString, isObject } from '../../model/json.ts'
import { document } from '../document.ts'
import type { Format } from '../format.ts'
import { linear } from '../linear.ts'
import { bodyOf, kindOf } from './body.ts'
import { timeOf } from './time.ts'
import { usageIn, view } from './view.ts'

/**
 * A session of Claude Code as it is taken from its web page: one document whose `loglines` are records without ids, in
 * the order in which they were said.
 */
export const claudeWeb: Format = {
  name: 'claude-web',
  dialect: 'claude-web',
  reading: 2,
  conversational: true,
  rewrittenWhole: true,
  detect: ({ head }) => /^\s*\{\s*"loglines"\s*:\s*\[/.test(new TextDecoder().decode(head.subarray(0, 4096))),
  splitter: () => document('loglines'),
  reader: () => {
    let [id, cwd] = [] as (string | undefined)[]
    return linear(
      ({ value }) => {
        if (!isObject(value)) return {}
        id ??= asString(value.sessionId) || undefined
        cwd ??= asString(value.cwd) || undefined
        const [time, kind] = [timeOf(value), kindOf(value)]
        return {
          ...(time !== undefined && { time }),
          ...(kind && { entry: { type: `claude-web/${kind}`, body: bodyOf(value, kind) } }),
        }
      },
      () => ({ ...(id !== undefined && { id }), ...(cwd !== undefined && { cwd }) }),
    )
  },
  view,
  usage: { assistant: usageIn },
}
