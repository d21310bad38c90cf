import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { uuid7 } from '../../src/model/uuid.ts'

describe('uuid7', () => {
  it('begins with the time and is a UUID of version 7', () => {
    const now = (): number => 0x0123456789ab
    const made = (byte: number): string => uuid7({ now, random: () => new Uint8Array(16).fill(byte) })
    expect(made(0xff)).toBe('01234567-89ab-7fff-bfff-ffffffffffff')
    expect(made(0)).toBe('01234567-89ab-7000-8000-000000000000')
  })

  it('differs each time', () => {
    const source = { now: Date.now, random: randomBytes }
    expect(new Set(Array.from({ length: 1000 }, () => uuid7(source))).size).toBe(1000)
  })
})
