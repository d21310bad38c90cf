import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../model/json.ts'
import { nodeAt, readObject, valueOf } from './jsontext.ts'

/** Whether Codex runs a hook: its user has to trust each one, as it is written, with `/hooks`. */
export type Trust = 'trusted' | 'changed' | 'untrusted' | 'disabled'

/** Returns how far Codex trusts each hook of a file that calls a command, by its event. */
export const codexTrust = (
  path: string,
  text: string,
  { command, settings }: { readonly command: string; readonly settings: string },
): { readonly event: string; readonly trust: Trust }[] =>
  codexHooks(path, text, command).map(({ event, key, hash }) => ({
    event,
    trust: trustOf(key, hash, settings),
  }))

/** A hook as Codex names it where it keeps whether it is trusted. */
interface NamedHook {
  readonly event: string
  readonly key: string
  readonly hash: string
}

/** Returns the hooks of a file that call a command. */
export function codexHooks(path: string, text: string, command: string): NamedHook[] {
  const events = nodeAt(readObject(text), ['hooks'])?.children ?? []
  return events.flatMap(({ name: event, value: groups }) =>
    groups.children.flatMap(({ value }, group) => {
      const hooks = (valueOf(text, value) as JsonObject).hooks
      return (Array.isArray(hooks) ? hooks : []).flatMap((hook, index) => {
        if ((hook as JsonObject).command !== command) return []
        const key = `${path}:${snakeCase(event)}:${group}:${index}`
        return [{ event, key, hash: hashOf(event, hook as JsonObject) }]
      })
    }),
  )
}

const snakeCase = (event: string): string =>
  event.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Returns the hash by which Codex (tried with 0.169.0) names a hook: of its event and all that it runs, by sorted keys. */
function hashOf(event: string, { command, timeout, type }: JsonObject): string {
  const hook: JsonObject = {
    async: false,
    command: command as Json,
    timeout: timeout as Json,
    type: type as Json,
  }
  const named = JSON.stringify({ event_name: snakeCase(event), hooks: [hook] })
  return `sha256:${createHash('sha256').update(named).digest('hex')}`
}

function trustOf(key: string, hash: string, settings: string): Trust {
  const states = settings.split(/^[ \t]*\[hooks\.state\./m).slice(1)
  const own = states.find((state) => keyOf(state) === key)
  if (own === undefined) return 'untrusted'
  const [table = ''] = own.split(/^[ \t]*\[/m)
  if (/^[ \t]*enabled[ \t]*=[ \t]*false/m.test(table)) return 'disabled'
  const trusted = /^[ \t]*trusted_hash[ \t]*=[ \t]*["']([^"'\n]*)["']/m.exec(table)?.[1]
  if (trusted === undefined) return 'untrusted'
  return trusted === hash ? 'trusted' : 'changed'
}

/** Returns the name in the header of a table, which is quoted. */
function keyOf(state: string): string | undefined {
  const [, quoted, plain] = /^(?:("(?:[^"\\\n]|\\.)*")|'([^'\n]*)')\]/.exec(state) ?? []
  if (quoted === undefined) return plain
  try {
    return JSON.parse(quoted) as string
  } catch {
    return undefined
  }
}
