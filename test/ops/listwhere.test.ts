import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKnownKey, type Listed, parseCondition } from '../../src/ops/list.ts'

const session = (about: Partial<Listed>): Listed => ({ set: {}, ...about }) as Listed
const holds = (text: string, about: Partial<Listed>): boolean => parseCondition(text)(session(about))

describe('a condition', () => {
  it('compares what a session is', () => {
    const about = { id: 'a', title: 'Tea = good', format: 'pi', cwd: null, model: 'm' }
    expect(
      ['id=a', 'title=Tea = good', 'agent=pi', 'cwd=', 'model!=n', 'id'].filter(
        (text) => !holds(text, about),
      ),
    ).toEqual([])
    expect(['id=b', 'agent!=pi', 'cwd', 'cwd!=', 'model=M'].filter((text) => holds(text, about))).toEqual([])
  })

  it('takes a key that nobody set for one without a value, whatever it is called', () => {
    for (const key of ['status', 'toString', 'constructor', '__proto__'])
      expect([key, holds(`${key}=`, {}), holds(key, {}), holds(`${key}!=x`, {})]).toEqual([
        key,
        true,
        false,
        true,
      ])
  })

  it('holds for what was set and for nothing else', () => {
    const key = fc
      .string({ minLength: 1 })
      .filter((text) => !/[=!]/.test(text) && text.trim() === text && !isKnownKey(text))
    fc.assert(
      fc.property(key, fc.string({ minLength: 1 }), fc.string(), (name, value, other) => {
        const set = Object.fromEntries([[name, value]])
        expect(holds(`${name}=${value}`, { set })).toBe(true)
        expect(holds(name, { set })).toBe(true)
        expect(holds(`${name}=${other}`, { set })).toBe(other === value)
        expect(holds(`${name}!=${other}`, { set })).toBe(other !== value)
      }),
    )
  })
})
