// Does one thing after the other to a store, each an operation, and prints the number of each once it is acknowledged:
// sessions, appends short and long, an import, branches, a label, a compaction, undo, redo, a removal.
// node steps.mjs BUILD STORE FILE
import { writeSync } from 'node:fs'

const [, , build, dir, file] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const { append, createSession } = await import(`${build}/ops/append/append.js`)
const { createBranch } = await import(`${build}/ops/branch.js`)
const { compact } = await import(`${build}/ops/compact.js`)
const { importPaths } = await import(`${build}/ops/import/import.js`)
const { setLabel } = await import(`${build}/ops/label.js`)
const { removeSessions } = await import(`${build}/ops/remove.js`)
const { switchTo } = await import(`${build}/ops/switch.js`)
const { redo, undo } = await import(`${build}/ops/undo.js`)
const repo = await Repo.open(dir, { create: true })
const says = (name, count) =>
  Array.from({ length: count }, (_, i) => ({
    body: { role: i % 2 === 0 ? 'user' : 'assistant', content: `${name} ${i} ${'word '.repeat(40)}` },
  }))
let session
const steps = [
  async () => (session = await createSession(repo, { title: 'first' })),
  () => append(repo, session, says('short', 1)),
  () => append(repo, session, says('long', 300)),
  () => createBranch(repo, session, 'side'),
  () => importPaths(repo, [file]),
  () => switchTo(repo, `${session}/side`),
  () => append(repo, session, says('aside', 2)),
  () => setLabel(repo, 'here', session),
  () => compact(repo, session, { keepTokens: 10, summary: 'what was said' }),
  () => undo(repo, { any: true }),
  () => redo(repo),
  async () => removeSessions(repo, [await createSession(repo)]),
]
for (const step of steps) {
  try {
    await step()
  } catch (error) {
    writeSync(1, `failed ${error.code ?? error}\n`)
    break
  }
  writeSync(1, `${await repo.read(async (reader) => (await reader.operationLog()).latest)}\n`)
}
await repo.close().catch((error) => writeSync(1, `failed ${error.code ?? error}\n`))
