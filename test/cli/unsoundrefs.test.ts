import { describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exitcodes.ts'
import type { RefValue } from '../../src/model/operation.ts'
import type { RefName } from '../../src/model/refname.ts'
import { Repo } from '../../src/repo/repo.ts'
import { ALL } from '../support/amount.ts'
import { Shell } from '../support/shell.ts'

const HURT = '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'
const OTHER = '019d4e07-5b20-7d11-a6c2-93e1f04b7a65'

/** Commands that need nothing of the session whose ref is unsound, though most of them pass it. */
const ELSEWHERE = [
  'sess ls',
  'sess log 019d4e',
  `sess log ${OTHER}`,
  'sess log --everywhere -n 5',
  'sess show 019d4e~1',
  'sess read 019d4e',
  'sess tree 019d4e',
  'sess search harbour',
  'sess search -l harbour',
  'sess stats',
  'sess stats --by day',
  'sess stats 019d4e',
  'sess context 019d4e',
  'sess export 019d4e',
  'sess branch 019d4e',
  'sess label --session 019d4e',
  'sess reflog 019d4e',
  'sess formats',
  'sess rev-parse 019d4e',
  'sess ls-objects',
  'sess op log',
  'sess import -n sessions/pi',
  'sess label -n good 019d4e',
  'sess branch -n 019d4e idea',
  'sess fork -n 019d4e',
  'sess rename -n 019d4e Brest',
  'sess resume 019d4e',
]

/** Commands that need all of that session, or its current branch. */
const NEEDING = ['sess log 3b1f', 'sess show 3b1f', 'sess read 3b1f', 'sess context 3b1f']

interface Case {
  readonly name: string
  readonly value: RefValue
  /** Commands that need the ref. */
  readonly fail: readonly string[]
  /** Commands of the session that do without it. */
  readonly work: readonly string[]
}

const TREE = 'sess tree 3b1f'

const CASES: readonly Case[] = [
  {
    name: `sessions/${HURT}/labels/x`,
    value: {},
    fail: ['sess show 3b1f/x', 'sess gc -n', 'sess label -n good 3b1f'],
    work: [...NEEDING, TREE],
  },
  { name: `sessions/${HURT}/branches/main`, value: 5, fail: [...NEEDING, 'sess gc -n'], work: [TREE] },
  {
    name: `sessions/${HURT}/HEAD`,
    value: [],
    fail: [...NEEDING, 'sess gc -n'],
    work: [TREE, 'sess show 3b1f/main'],
  },
  { name: `sessions/${HURT}/meta`, value: 'x', fail: [`sess log ${HURT}`, 'sess gc -n'], work: [] },
  { name: `sessions/${HURT}/source`, value: { log: 5 }, fail: [`sess log ${HURT}`, 'sess gc -n'], work: [] },
  { name: 'sessions/%/meta', value: { format: 'sess' }, fail: ['sess gc -n'], work: [...NEEDING, TREE] },
]

const count = (text: string, part: string): number => text.split(part).length - 1

describe('a ref of another form', () => {
  it.each(CASES)('$name is left out by commands that do not need it', async (one) => {
    const { name, value, fail, work } = one
    const turn = CASES.indexOf(one) % 3
    const shell = new Shell()
    await shell.run('sess init')
    await shell.run('sess import sessions')
    const repo = await Repo.open(shell.path('.sess'))
    await repo.write({ repairs: true }, async ({ reader, move }) => {
      move(name as RefName, await reader.ref(name as RefName), value)
    })
    await repo.close()
    const wrong: string[] = []
    const runs = async (commands: readonly string[], code: number, isNamed: (times: number) => boolean) => {
      for (const command of commands) {
        const ended = await shell.run(command)
        const times = count(ended.stderr, `the ref '${name}' cannot be read`)
        if (ended.code !== code || !isNamed(times))
          wrong.push(`[${ended.code}] ${times} ${command}: ${ended.stderr}`)
      }
    }
    await runs(
      ELSEWHERE.filter((_, i) => ALL || i % 3 === turn),
      0,
      (times) => times <= 1,
    )
    await runs(work, 0, (times) => times <= 1)
    await runs(fail, EXIT.corrupt, (times) => times === 1)
    await runs(['sess ls', 'sess search harbour'], 0, (times) => times === 1)
    expect(wrong).toEqual([])
    const hint = "hint: type 'sess fsck' to see the damage, 'sess fsck --repair' to repair it"
    expect((await shell.run('sess ls')).stderr).toContain(hint)
    await shell.run('sess fsck --repair')
    expect((await shell.run('sess ls')).stderr).toBe('')
    expect((await shell.run('sess gc -n')).code).toBe(0)
  })
})
