import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { getSessionMessages } from '@anthropic-ai/claude-agent-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CORPUS, corpusFiles, newStore, noCorpus, SKIPPED } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

afterEach(() => vi.unstubAllEnvs())

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const A_UUID = '00000000-0000-4000-8000-000000000001'

describe.skipIf(noCorpus)(`the reader of Claude Code's kit ${SKIPPED}`, { timeout: 600_000 }, () => {
  it('returns of every file what stands in order on its path here', async () => {
    const [root, cwd] = [newFolder(), newFolder()]
    vi.stubEnv('CLAUDE_CONFIG_DIR', root)
    const folder = join(root, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'))
    mkdirSync(folder, { recursive: true })
    const store = await newStore()
    const missing: unknown[] = []
    const counts = { files: 0, messages: 0 }
    for (const file of corpusFiles('claude-code', '.jsonl')) {
      const [taken] = (await store.import(join(CORPUS, file))).files
      if (taken?.format !== 'claude-code' || taken.entries === 0) continue
      const stem = basename(file, '.jsonl')
      const id = UUID.test(stem) ? stem : A_UUID
      copyFileSync(join(CORPUS, file), join(folder, `${id}.jsonl`))
      const returned = (await getSessionMessages(id, { dir: cwd })).map(({ uuid }) => uuid)
      const path: (string | null)[] = []
      for await (const { native } of store.log(taken.session)) path.push(native)
      path.reverse()
      let at = 0
      const lost = returned.filter((uuid) => {
        const found = path.indexOf(uuid, at)
        if (found >= 0) at = found + 1
        return found < 0
      })
      counts.files++
      counts.messages += returned.length
      if (lost.length > 0) missing.push([file, lost.length, returned.length])
    }
    // Made by hand: a main conversation hangs on a message of a sidechain, which the reader follows and the path does not.
    expect(missing).toEqual([['claude-code/agent-sessions/small.jsonl', 1, 3]])
    expect([counts.files > 20, counts.messages > 500]).toEqual([true, true])
  })
})
