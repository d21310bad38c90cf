import { describe, expect, it } from 'vitest'
import { realEnv } from '../../src/repo/env.ts'

describe('realEnv', () => {
  it('returns the user and the host', () => {
    const { who, cwd } = realEnv()
    expect(who()).toMatch(/^[^@\s]+@\S+$/)
    expect(cwd).toBe(process.cwd())
  })
})
