import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { SessionTree } from '../../../src/compat/dash/index.ts'
import { SessionManager as OhMyPi } from '../../../src/compat/oh-my-pi/index.ts'
import { SessionManager as Pi } from '../../../src/compat/pi/index.ts'
import { createSessionRepository } from '../../../src/compat/pi-v4/index.ts'
import { rollouts } from '../../../src/compat/rollouts/index.ts'
import { openStore, type Store } from '../../../src/library/store.ts'
import { newFolder } from '../../support/folder.ts'
import { quietEnv } from '../../support/store.ts'

const PROMPT = 'What is here?'

const asked = { role: 'user' as const, content: PROMPT, timestamp: 1 }
const answered = {
  role: 'assistant' as const,
  content: [{ type: 'text' as const, text: 'One file.' }],
  api: 'a',
  provider: 'p',
  model: 'm',
  usage: {
    input: 1,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  stopReason: 'stop' as const,
  timestamp: 2,
}
const askedAgain = { ...asked, content: 'And there?' }

let store: Store | undefined
afterEach(() => store?.close())

/** Imports the file of a fork into a new store, and returns the prompt that is shown of it. */
async function promptOf(file: string): Promise<string | null> {
  store = await openStore(join(newFolder(), 'store'), { create: true })
  const { files } = await store.import(file)
  const session = await store.session(files[0]?.session ?? '')
  return (await session.info()).prompt
}

describe('a fork shows the prompt of its origin', () => {
  it('made by forkFrom of pi, and goes on with another prompt', async () => {
    const origin = Pi.create('/work', newFolder())
    for (const message of [asked, answered]) origin.appendMessage(message)
    const fork = Pi.forkFrom(origin.getSessionFile() as string, '/other', newFolder())
    fork.appendMessage(askedAgain)
    expect(await promptOf(fork.getSessionFile() as string)).toBe(PROMPT)
  })

  it('made by createBranchedSession of pi', async () => {
    const session = Pi.create('/work', newFolder())
    for (const message of [asked, answered]) session.appendMessage(message)
    const leaf = session.getLeafId() as string
    session.appendMessage(askedAgain)
    session.createBranchedSession(leaf)
    session.appendMessage({ ...asked, content: 'Or elsewhere?' })
    expect(await promptOf(session.getSessionFile() as string)).toBe(PROMPT)
  })

  it('made by forkFrom of oh-my-pi', async () => {
    const origin = OhMyPi.create('/work', newFolder())
    for (const message of [asked, answered]) origin.appendMessage(message)
    const fork = await OhMyPi.forkFrom(origin.getSessionFile() as string, '/other', newFolder())
    fork.appendMessage(askedAgain)
    await fork.ensureOnDisk()
    expect(await promptOf(fork.getSessionFile() as string)).toBe(PROMPT)
  })

  it('made by fork of Dash', async () => {
    const tree = SessionTree.create('/work', newFolder(), 'Files', { env: quietEnv() })
    tree.appendMessage('user', PROMPT)
    const at = tree.appendMessage('assistant', 'One file.')
    tree.appendMessage('user', 'And there?')
    const { newSessionFile } = SessionTree.fork(tree.getSessionFile() as string, at, 'Forked', newFolder())
    const fork = SessionTree.open(newSessionFile)
    fork.appendMessage('user', 'Or elsewhere?')
    expect(await promptOf(newSessionFile)).toBe(PROMPT)
  })

  it('made by branchSession of rollouts', async () => {
    const r = rollouts({ root: newFolder(), env: quietEnv() })
    const origin = r.createSession('/work', 'anthropic', 'claude')
    for (const content of [PROMPT, 'One file.', 'And there?'])
      r.appendMessage(origin, { role: content === 'One file.' ? 'assistant' : 'user', content })
    const fork = r.branchSession(origin, 1, '/work', 'anthropic', 'claude')
    r.appendMessage(fork, { role: 'user', content: 'Or elsewhere?' })
    expect(await promptOf(fork.file_path)).toBe(PROMPT)
  })

  it("made by fork of pi's version 4, with nothing imported", async () => {
    const dir = newFolder()
    const repository = await createSessionRepository({ dir })
    const origin = await repository.create({ id: 'origin' })
    await origin.appendMessage(asked)
    const answer = await origin.appendMessage(answered)
    await origin.appendMessage(askedAgain)
    const fork = await repository.fork(await origin.getMetadata(), {
      id: 'fork',
      entryId: answer,
      position: 'at',
    })
    await fork.appendMessage({ ...asked, content: 'Or elsewhere?' })
    await repository.close()
    store = await openStore(dir)
    const session = await store.session('fork')
    expect((await session.info()).prompt).toBe(PROMPT)
  })
})
