import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** What a test imports that tries more with volume. */
const VARIED = /from '(?:fast-check|[^']*\/amount\.ts)'/
const IMPORTED = /from '(\.{1,2}\/[^']+\.ts)'/g

/** Returns the test files in a folder that try more with volume, themselves or by what they import of other tests. */
export function testsWithVolume(folder: string): string[] {
  const known = new Map<string, boolean>()
  const varies = (path: string): boolean => {
    const before = known.get(path)
    if (before !== undefined) return before
    known.set(path, false)
    const text = readFileSync(path, 'utf8')
    const imported = [...text.matchAll(IMPORTED)].map(([, name = '']) => join(dirname(path), name))
    // A test may hold the text of a module, whose imports are none of its own.
    const own = imported.filter((one) => !relative(folder, one).startsWith('..') && existsSync(one))
    const found = VARIED.test(text) || own.some(varies)
    known.set(path, found)
    return found
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.filter((path) => path.endsWith('.test.ts') && varies(join(folder, path)))
}
