import { describe, expect, it } from 'vitest'
import { realEnv, uuid7 } from '../../src/repo/env.ts'
import { quietEnv } from '../support/store.ts'

describe('uuid7', () => {
  it('begins with the time and is a UUID of version 7', () => {
    const env = { ...quietEnv(), now: () => 0x0123456789ab, random: () => new Uint8Array(16).fill(0xff) }
    expect(uuid7(env)).toBe('01234567-89ab-7fff-bfff-ffffffffffff')
    expect(uuid7({ ...env, random: () => new Uint8Array(16) })).toBe('01234567-89ab-7000-8000-000000000000')
  })

  it('differs each time', () => {
    const env = realEnv()
    expect(new Set(Array.from({ length: 1000 }, () => uuid7(env))).size).toBe(1000)
  })
})

describe('realEnv', () => {
  it('returns the user and the host', () => {
    const { who, cwd } = realEnv()
    expect(who()).toMatch(/^[^@\s]+@\S+$/)
    expect(cwd).toBe(process.cwd())
  })
})
