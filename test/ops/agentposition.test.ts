import { statSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SessionManager } from '../../src/compat/pi/manager.ts'
import { type AgentPosition, findPosition, setPosition } from '../../src/ops/agentposition.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { switchTo } from '../../src/ops/switch.ts'
import { undo } from '../../src/ops/undo.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { getSession } from '../../src/repo/session.ts'
import { runs } from '../support/amount.ts'
import { newFolder } from '../support/folder.ts'
import { user } from '../support/pi.ts'
import { openRepo } from '../support/store.ts'

/** A session in a file, and the store that is to follow it. */
class Pair {
  readonly session = SessionManager.create('/c', newFolder(), { id: 'one' })
  readonly repo: Repo
  constructor(repo: Repo) {
    this.repo = repo
    this.session.appendMessage(user('first'))
  }

  static async begin(): Promise<Pair> {
    return new Pair(await openRepo())
  }

  get place(): AgentPosition {
    const path = this.session.getSessionFile() as string
    return { path, record: this.session.getLeafId(), bytes: statSync(path).size }
  }

  kept(): Promise<string | null | undefined> {
    return findPosition(this.repo, this.place)
  }

  async stand(id: string | null): Promise<void> {
    if (id === null) this.session.resetLeaf()
    else this.session.branch(id)
    await setPosition(this.repo, this.place)
  }

  async follow(): Promise<void> {
    await importPaths(this.repo, [this.place.path])
    await setPosition(this.repo, this.place)
  }

  head(): Promise<unknown> {
    return this.repo.read(async (reader) => (await getSession(reader, 'one')).head)
  }
}

describe('the position of an agent', () => {
  it('is none of a file that it does not know', async () => {
    const pair = await Pair.begin()
    expect(await pair.kept()).toBeUndefined()
    await pair.repo.close()
  })

  it('is one operation where the store has read the file, which undo takes back', async () => {
    const pair = await Pair.begin()
    const first = pair.session.getLeafId()
    pair.session.appendMessage(user('second'))
    await pair.follow()
    await pair.stand(first)
    expect([await pair.kept(), await pair.head()]).toEqual([first, { oid: expect.anything() as string }])
    await undo(pair.repo, { any: true })
    expect([await pair.kept(), await pair.head()]).toEqual([undefined, { branch: 'main' }])
    await pair.repo.close()
  })

  it('yields to a position that was chosen in the store', async () => {
    const pair = await Pair.begin()
    const first = pair.session.getLeafId()
    const second = pair.session.appendMessage(user('second'))
    pair.session.appendMessage(user('third'))
    await pair.follow()
    await pair.stand(first)
    await switchTo(pair.repo, 'one/main~1', 'one')
    expect(await pair.kept()).toBe(second)
    await pair.repo.close()
  })

  it('is where the session is, whatever was done and however far the store has followed', async () => {
    const act = fc.tuple(
      fc.constantFrom('append', 'append', 'label', 'stand', 'stand', 'root', 'follow'),
      fc.nat(50),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (acts) => {
        const pair = await Pair.begin()
        const { session } = pair
        const at = (place: number): string =>
          session.getEntries()[place % session.getEntryCount()]?.id as string
        let moved = false
        for (const [name, place] of acts) {
          if (name === 'append') session.appendMessage(user(`${place}`))
          else if (name === 'label') session.appendLabelChange(at(place), `${place}`)
          else if (name === 'stand') await pair.stand(at(place))
          else if (name === 'root') await pair.stand(null)
          else await pair.follow()
          if (name !== 'follow') moved = name === 'stand' || name === 'root'
        }
        const last = session.getEntries().at(-1)?.id
        const kept = await pair.kept()
        // the last line is the leaf where nothing else names one
        expect(kept === undefined ? last : kept).toBe(session.getLeafId())
        // Labels before the first message are no entries: then the store has to know which of them it was.
        const hasMessage = session.getBranch().some(({ type }) => type === 'message')
        if (!moved && hasMessage) expect(kept).toBeUndefined()
        await pair.follow()
        expect((await fsck(pair.repo)).findings).toEqual([])
        await pair.repo.close()
      }),
      { numRuns: runs(30) },
    )
  })
})
