import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))

/** Returns the files that hold what fits an expression, comments left out. */
const holding = (what: RegExp): string[] =>
  files.filter((path) =>
    what.test(readFileSync(src + path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')),
  )

it('looks at the sources', () => {
  expect(files.length).toBeGreaterThan(300)
})

it('starts programs in few files, which give them their arguments as a list', () => {
  expect(holding(/child_process/).toSorted()).toEqual([
    'cli/childprocess.ts',
    'cli/platform.ts',
    'live/extensions.ts',
    'live/hook.ts',
    'live/short.ts',
  ])
  expect(readFileSync(`${src}cli/childprocess.ts`, 'utf8').match(/spawn\([^)]*\)?/g)).toMatchInlineSnapshot(`
    [
      "spawn(program, words, { cwd, env: { ...variables }, detached: true, stdio: 'pipe' })",
    ]
  `)
  const platform = readFileSync(`${src}cli/platform.ts`, 'utf8')
  expect(platform.match(/\bspawn\([^)]*\)/g)).toEqual(['spawn(program, words, options)'])
  expect(platform).not.toMatch(/shell:/)
})

// The statusline that the user had before is a command of a shell in the settings of the agent, which runs it as one.
const FORMER_STATUSLINE = 'live/short.ts'

it.each([
  [
    'a shell',
    [FORMER_STATUSLINE],
    /shell:\s*(?:true|['"`])|(?<!\.)\bexec(?:File)?(?:Sync)?\(\s*['"`$]|\bsh['"],\s*\[?['"]-c/,
  ],
  ['a text as a program', [], /\beval\(|new Function\(|node:vm|runInThisContext/],
  ['a module that a text names', [], /(?:await|return|=>|=)\s+import\(\s*[^'"\s]|\brequire\(\s*[^'"\s]/],
])('never runs %s', (_, but, what) => {
  expect(holding(what)).toEqual(but)
})
