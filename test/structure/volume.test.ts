import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { testsWithVolume } from '../support/testswithvolume.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))

it('a run with volume has each test that asks how much it is to try', () => {
  const asking = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.test.ts') &&
      /from '[./]+support\/amount\.ts'/.test(readFileSync(join(folder, path), 'utf8')),
  )
  expect(asking.length).toBeGreaterThan(20)
  expect(testsWithVolume(folder)).toEqual(expect.arrayContaining(asking))
})
