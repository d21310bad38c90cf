import { expect, it } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import type { Json } from '../../../src/model/json.ts'
import { decodeError, encodeError } from '../../../src/repo/lease/errormessage.ts'

it('carries an error to another process with its subject and its way out', () => {
  const error = new SessError('ambiguous-revision', '3b', {
    detail: 'two',
    candidates: ['3b1f', '3b2e'],
    hint: 'use more of it',
    remedy: { kind: 'undo-first', operation: 7 },
  })
  const received = decodeError(JSON.parse(JSON.stringify(encodeError(error))) as Json)
  expect({ ...received }).toEqual({ ...error })
  expect(received.message).toBe("'3b' is ambiguous (two)")
})

it('keeps that nobody typed the subject', () => {
  const error = new SessError('no-session', '/w', { typed: '' })
  expect(decodeError(encodeError(error)).message).toBe(error.message)
})

it('takes an error of an unknown code for a bug of the other process', () => {
  const received = decodeError({ code: 'overheated', subject: 'too warm' })
  expect([received.code, received.message]).toEqual(['bug', 'internal error: too warm'])
})
