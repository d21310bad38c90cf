import { expect, it, vi } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import { attempt } from '../../../src/ops/fsck/finding.ts'

const ofSystem = (code: string): Error =>
  Object.assign(new Error(`${code}: it failed`), { code, errno: -1, syscall: 'read', path: '/store' })

const found = async (error: Error): Promise<unknown[]> => {
  const findings: unknown[] = []
  const report = (...finding: unknown[]): void => void findings.push(finding)
  await attempt(report, 'database', 'the database', vi.fn<() => Promise<void>>().mockRejectedValue(error))
  return findings
}

it.each([
  ['what is damaged', new SessError('corrupt', 'a block'), 'the store is damaged: a block'],
  ['what the disk does not give', ofSystem('EIO'), "'/store' could not be read (EIO: it failed)"],
])('reports %s', async (_, error, message) => {
  expect(await found(error)).toEqual([['database', 'the database', message, undefined]])
})

it.each([
  ['that no space is left', ofSystem('ENOSPC'), 'no-space'],
  ['that it may not look', ofSystem('EACCES'), 'unreadable-path'],
  ['that another process has the store', new SessError('busy', '/store'), 'busy'],
  ['that it is to stop', new SessError('stopped', 'nothing was changed'), 'stopped'],
  ['that the store is let go', new SessError('closed', '/store'), 'closed'],
])('takes for no damage %s', async (_, error, code) => {
  await expect(found(error)).rejects.toMatchObject({ code })
})
