import { expect, it } from 'vitest'
import { isNewer, isVersion, NewestVersion, newestOf } from '../../src/model/version.ts'

it('knows versions from other texts', () => {
  for (const text of ['2.1.278', 'v1', '0.42.0-alpha.3', '1.0.64-1', '2026.8.1', '0.0.1772237000-g924883'])
    expect(isVersion(text)).toBe(true)
  for (const text of ['', 'lamp', '[trimmed]', '1.2 3', '1..2 ', `${'9.'.repeat(40)}9`, '1'.repeat(20)])
    expect(isVersion(text)).toBe(false)
})

it('compares versions by their numbers', () => {
  expect(isNewer('2.1.10', '2.1.9')).toBe(true)
  expect(isNewer('2.1', '2.1.0')).toBe(false)
  expect(isNewer('2.1.0', '2.1')).toBe(false)
  expect(isNewer('2.1.1', '2.1')).toBe(true)
  expect(isNewer('0.42.0', '0.42.0-alpha.3')).toBe(true)
  expect(isNewer('0.42.0-alpha.3', '0.42.0')).toBe(false)
  expect(isNewer('lamp', '1')).toBe(false)
  expect(isNewer('1', 'lamp')).toBe(false)
})

it('finds the newest version, whatever is between', () => {
  expect(newestOf([undefined, '1.9', 'lamp', '1.10', '1.2'])).toBe('1.10')
  expect(newestOf([undefined, 'lamp'])).toBeUndefined()
  const version = new NewestVersion()
  for (const one of ['1.9', '1.9', 7, null, '1.10', '1.2', undefined]) version.add(one)
  expect(version.newest).toBe('1.10')
})
