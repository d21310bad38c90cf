// The work of pi's own session manager that is measured. Each function has a process of its own.
import { createHash } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'

/** Opens a session file and gives its context. */
export async function context({ pi, file }) {
  const { SessionManager } = await import(pi)
  const start = performance.now()
  const { messages } = SessionManager.open(file).buildSessionContext()
  const ms = performance.now() - start
  const peak = process.resourceUsage().maxRSS * 1024
  return { ms, before: peak, sha: createHash('sha256').update(JSON.stringify(messages)).digest('hex') }
}

/** Makes a session of its own of the path to an entry in the middle of an open one. */
export async function fork({ pi, file, folder }) {
  const { SessionManager } = await import(pi)
  const manager = SessionManager.open(file, folder)
  const path = manager.getBranch()
  const { id } = path[path.length >> 1]
  const start = performance.now()
  const made = manager.createBranchedSession(id)
  const ms = performance.now() - start
  const bytes = statSync(made).size
  rmSync(made)
  return { ms, bytes }
}
