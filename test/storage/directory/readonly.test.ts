import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { append } from '../../../src/ops/append/append.ts'
import { backUp, restore, verifyBackup } from '../../../src/repo/backup.ts'
import { Repo } from '../../../src/repo/repo.ts'
import { answersOf } from '../../support/answers.ts'
import { built } from '../../support/built.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'
import { copyOf, smallStore } from '../../support/smallstore.ts'
import { quietEnv } from '../../support/store.ts'

/** All files below a folder, with what they hold. */
const filesIn = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path, `${statSync(path).mtimeMs} ${readFileSync(path).toString('latin1')}`]),
  )

/** The copies of stores in the temporary folder of the user. */
const snapshots = (): string[] => temporary('sess-snapshot.')

function temporary(prefix: string): string[] {
  const folder = join(tmpdir(), `sess-${process.getuid?.()}`)
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(prefix)) : []
}

describe('a backup', () => {
  it('is read without a change to any of its files, and refuses writes', async () => {
    const { dir, sessions } = await smallStore()
    const backup = join(newFolder(), 'backup')
    backUp(dir, backup, quietEnv())
    const before = filesIn(backup)
    const right = await answersOf(dir, sessions)
    expect(await answersOf(backup, sessions)).toEqual(right)
    const repo = await Repo.open(backup)
    await expectFailure('cannot-write', () =>
      append(repo, sessions[0] as string, [{ body: { role: 'user', content: 'more' } }]),
    )
    await repo.close()
    expect(filesIn(backup)).toEqual(before)
    expect(verifyBackup(backup)).toEqual([])
    const restored = join(newFolder(), 'restored')
    restore(backup, restored)
    expect(await answersOf(restored, sessions)).toEqual(right)
  })

  it('is as it was after a dry run, and after one that was killed', async () => {
    const { dir, sessions } = await smallStore()
    const backup = join(newFolder(), 'backup')
    backUp(dir, backup, quietEnv())
    const scratches = (): string[] => temporary('sess-scratch.')
    const [before, earlier] = [readdirSync(backup, { recursive: true }), scratches()]
    const program = (end: string): string => `
      const { Repo } = await import(${JSON.stringify(`${built()}/repo/repo.js`)})
      const { append } = await import(${JSON.stringify(`${built()}/ops/append/append.js`)})
      const repo = await Repo.open(${JSON.stringify(backup)}, { dryRun: true })
      await append(repo, ${JSON.stringify(sessions[0])}, [{ body: { role: 'user', content: 'more' } }])
      ${end}`
    const run = (end: string): Buffer =>
      execFileSync(process.execPath, ['--input-type=module', '-e', program(end)], { stdio: 'ignore' })
    run('await repo.close()')
    expect([readdirSync(backup, { recursive: true }), scratches()]).toEqual([before, earlier])
    expect(() => run("process.kill(process.pid, 'SIGKILL')")).toThrow('Command failed')
    expect(readdirSync(backup, { recursive: true })).toEqual(before)
    // The next dry run removes what the killed one left.
    expect(scratches()).toHaveLength(earlier.length + 1)
    run('await repo.close()')
    expect(scratches().filter((name) => !earlier.includes(name))).toEqual([])
  })

  it('is as it was after a reader was killed', async () => {
    const { dir } = await smallStore()
    const backup = join(newFolder(), 'backup')
    backUp(dir, backup, quietEnv())
    const [before, earlier] = [filesIn(backup), snapshots()]
    const program = `
      const { Repo } = await import(${JSON.stringify(`${built()}/repo/repo.js`)})
      const repo = await Repo.open(${JSON.stringify(backup)})
      await repo.read(() => process.kill(process.pid, 'SIGKILL'))`
    expect(() =>
      execFileSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' }),
    ).toThrow('Command failed')
    expect(filesIn(backup)).toEqual(before)
    // The next reader removes the copy that the killed one left.
    const [left, ...others] = snapshots().filter((name) => !earlier.includes(name))
    expect([left, others]).toEqual([expect.stringMatching(/^sess-snapshot\./), []])
    const repo = await Repo.open(backup)
    await repo.read(() => undefined)
    await repo.close()
    expect(snapshots()).not.toContain(left)
  })
})

it.skipIf(process.getuid?.() === 0)(
  'a store in a read-only folder is read from a copy in the temporary folder',
  async () => {
    const { dir, sessions } = await smallStore()
    const right = await answersOf(copyOf(dir), sessions)
    const [copy, left] = [copyOf(dir), snapshots()]
    const folders = [copy, join(copy, 'db.1')]
    for (const folder of folders) chmodSync(folder, 0o500)
    try {
      expect(await answersOf(copy, sessions)).toEqual(right)
      expect(snapshots().filter((name) => !left.includes(name))).toEqual([])
    } finally {
      for (const folder of folders) chmodSync(folder, 0o700)
    }
  },
)
