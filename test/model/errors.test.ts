import { expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exitcodes.ts'
import { asSessError, SessError } from '../../src/model/errors.ts'

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

it('exits by kind', () => {
  expect(EXIT).toEqual({ user: 1, usage: 2, conflict: 3, busy: 4, corrupt: 5, stopped: 130, bug: 70 })
})
