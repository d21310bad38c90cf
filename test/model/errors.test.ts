import { constants } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exitcodes.ts'
import { asSessError, SessError } from '../../src/model/errors.ts'

const thrownBy = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

it('says what failed and who must act, without commands to type', () => {
  const error = new SessError('no-store', '/tmp/$&x', { detail: 'ENOENT' })
  expect(error.message).toBe("no store at '/tmp/$&x' (ENOENT)")
  expect(error.data()).toEqual({
    code: 'no-store',
    kind: 'user',
    message: "no store at '/tmp/$&x' (ENOENT)",
    hint: '',
    retryable: false,
  })
})

it('takes a hint and a cause', () => {
  const cause = new Error('x')
  const error = new SessError('busy', 's', { hint: 'wait', cause })
  expect([error.hint, error.cause, error.retryable]).toEqual(['wait', cause, true])
})

it('keeps what is known of it with another hint', () => {
  const at = { text: 'a b', from: 2, to: 3 }
  const error = new SessError('no-session', 'b', { detail: 'gone', choices: ['c'], candidates: ['d'] })
  const more = error.with({ hint: 'look', at })
  expect([more.message, more.choices, more.candidates, more.cause]).toEqual([
    error.message,
    ['c'],
    ['d'],
    error,
  ])
  expect(more.with({ hint: 'there' }).data()).toEqual({ ...error.data(), hint: 'there', at })
})

it('keeps its subject, and the word that somebody typed', () => {
  const detail = { detail: "'x' is no time" }
  const error = new SessError('no-revision', 'a@{x}', detail)
  expect([error.subject, error.typed, error.detail]).toEqual(['a@{x}', 'a@{x}', "'x' is no time"])
  const at = { text: 'role:boss', from: 5, to: 9 }
  expect(new SessError('bad-query', 'no role', { at }).typed).toBe('boss')
  const other = new SessError('bad-usage', "no agent 'b'", { typed: 'b' }).with({ hint: 'look' })
  expect([other.subject, other.typed]).toEqual(["no agent 'b'", 'b'])
})

it('names no subject as if it had been typed that nobody typed', () => {
  const error = new SessError('no-session', '/w', { typed: '' })
  expect(error.message).toBe("no session is current in '/w'")
  expect(error.with({ hint: 'look' }).message).toBe("no session is current in '/w'")
})

const failure = (code: string, syscall: string): Error =>
  Object.assign(new Error(code), { code, syscall, path: '/p' })

it.each([
  ['EIO', 'read', "'/p' could not be read (EIO)"],
  ['EIO', 'open', "'/p' could not be read (EIO)"],
  ['EIO', 'write', "'/p' could not be written (EIO)"],
  ['EIO', 'fsync', "'/p' could not be written (EIO)"],
  ['EACCES', 'scandir', "'/p' could not be read (EACCES)"],
  ['EACCES', 'mkdir', "'/p' could not be written (EACCES)"],
  ['ENOTDIR', 'stat', "'/p' could not be read (ENOTDIR)"],
  ['ENOSPC', 'write', "no space left to write '/p' (ENOSPC)"],
])('says of %s in %s whether it was reading or writing', (code, syscall, message) => {
  expect(asSessError(failure(code, syscall)).message).toBe(message)
})

/** LevelDB puts its reasons into messages alone. */
const OF_LEVELDB = ['storage/ioerrors.ts', 'storage/leveldb/exclusivelevel.ts']

it('is never taken apart by its message', () => {
  const src = new URL('../../src/', import.meta.url)
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const matching =
    /(?:exec|test)\((?:\w+\.)?message\)|\.message\.(?:match|matchAll|search|split|replace|includes|startsWith)\(/
  const found = paths.filter((path) => matching.test(readFileSync(new URL(path, src), 'utf8')))
  expect(found.filter((path) => !OF_LEVELDB.includes(path))).toEqual([])
})

it('replaces hint and remedy together', () => {
  const error = new SessError('nothing-to-undo', '', { remedy: { kind: 'undo-any' } })
  expect([error.hint, error.remedy]).toEqual(['', { kind: 'undo-any' }])
  const at = { text: 'a', from: 0, to: 1 }
  expect(error.with({ at }).remedy).toEqual({ kind: 'undo-any' })
  const other = error.with({ hint: 'look' })
  expect([other.hint, other.remedy]).toEqual(['look', undefined])
})

it('takes every other thrown value for a bug', () => {
  const error = new SessError('conflict', 'main')
  expect(asSessError(error)).toBe(error)
  expect(asSessError(new TypeError('no function')).message).toContain('no function')
  expect([asSessError('text').code, asSessError(undefined).code]).toEqual(['bug', 'bug'])
})

it('takes a text that is too long for the engine for no defect', () => {
  const tries = [() => 'x'.repeat(2 ** 30), () => Buffer.alloc(constants.MAX_STRING_LENGTH + 1).toString()]
  for (const one of tries) {
    const error = asSessError(thrownBy(one))
    expect([error.code, error.message, error.hint]).toEqual([
      'bad-value',
      'the result is too long',
      'ask for less of it',
    ])
  }
})

it('exits by kind', () => {
  expect(EXIT).toEqual({ user: 1, usage: 2, conflict: 3, busy: 4, corrupt: 5, stopped: 130, bug: 70 })
})
