import { MARK } from './parts.ts'

/** Returns the extension of pi: it tells of each turn, and of what moves the tree. */
export const piExtension = (launcher: string): string => `// ${MARK}
import { spawn } from 'node:child_process'

const launcher = ${JSON.stringify(launcher)}

export default function (pi) {
  const tell = (_event, ctx) => {
    try {
      const file = ctx.sessionManager.getSessionFile()
      if (!file) return
      const hook = spawn(launcher, ['hook', 'pi'], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
      hook.on('error', () => {})
      hook.stdin.on('error', () => {})
      hook.stdin.end(JSON.stringify({ transcript_path: file, cwd: ctx.cwd }))
      hook.unref()
    } catch {
      // The agent goes on, whatever fails here.
    }
  }
  for (const event of ['turn_end', 'session_tree', 'session_compact', 'session_shutdown']) {
    try {
      pi.on(event, tell)
    } catch {
      // The agent goes on, whatever fails here.
    }
  }
}
`

/** Returns the plugin of OpenCode: it tells when a session waits for its user. */
export const openCodePlugin = (launcher: string): string => `// ${MARK}
import { spawn } from 'node:child_process'

const launcher = ${JSON.stringify(launcher)}

export const Sess = async ({ directory }) => {
  const tell = (session_id) => {
    try {
      const hook = spawn(launcher, ['hook', 'opencode'], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
      hook.on('error', () => {})
      hook.stdin.on('error', () => {})
      hook.stdin.end(JSON.stringify({ cwd: directory, session_id }))
      hook.unref()
    } catch {
      // The agent goes on, whatever fails here.
    }
  }
  return {
    event: async ({ event }) => {
      if (event.type === 'session.idle' || event.type === 'session.compacted')
        tell(event.properties?.sessionID)
    },
    dispose: async () => tell(),
  }
}
`
