import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Code, EXIT, type Kind, SessError } from '../../src/model/errors.ts'
import { built } from '../support/built.ts'
import { newFolder } from '../support/folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const text = readFileSync(join(root, 'docs/library.md'), 'utf8')

interface Example {
  readonly name: string
  readonly program: string
  /** The block right behind it. */
  readonly output: string | undefined
}

const examples: readonly Example[] = [
  ...text.matchAll(/^```(?:ts|js)\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?/gms),
].map(({ 1: program = '', 2: output, index }) => ({
  name:
    text
      .slice(0, index)
      .match(/^## .*$/gm)
      ?.at(-1)
      ?.slice(3) ?? 'the beginning',
  program,
  output,
}))

describe('the programs of the library document', () => {
  const dir = built()

  it('are each block of code', () => {
    expect(examples.length).toBe(text.match(/^```(?:ts|js)/gm)?.length)
    expect(examples.length).toBeGreaterThan(9)
  })

  it.each(examples)('print what it says: $name', ({ program, output }) => {
    const folder = newFolder()
    const installed = join(folder, 'node_modules/sess')
    mkdirSync(installed, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{}') // so that none above it counts
    writeFileSync(join(installed, 'package.json'), '{"type":"module","exports":"./index.js"}')
    writeFileSync(join(installed, 'index.js'), `export * from ${JSON.stringify(join(dir, 'index.js'))}\n`)
    writeFileSync(join(folder, 'program.mjs'), program)
    const run = spawnSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' })
    expect(run).toMatchObject({ stderr: '', stdout: output, status: 0 })
  })

  it('have no errors of types', () => {
    const folder = newFolder()
    examples.forEach(({ program }, i) => writeFileSync(join(folder, `${i}.mts`), program))
    const options = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: true,
        rootDir: '/',
        typeRoots: [join(root, 'node_modules/@types')],
        paths: { sess: [join(root, 'src/index.ts')] },
      },
      include: ['*.mts'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const run = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder, encoding: 'utf8' })
    expect(run).toMatchObject({ stderr: '', stdout: '', status: 0 })
  })
})

describe('the table of errors in the library document', () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| .* \| (\d+) \| (`.*`) \|$/gm)].map(
    ([, kind, exit, codes = '']) => ({
      kind: kind as Kind,
      exit: Number(exit),
      codes: codes.replaceAll('`', '').split(' ') as Code[],
    }),
  )

  it('has the kinds with their exit codes', () => {
    expect(Object.fromEntries(rows.map(({ kind, exit }) => [kind, exit]))).toEqual(EXIT)
  })

  it('has every code under its kind', () => {
    for (const { kind, codes } of rows)
      for (const code of codes) expect([code, new SessError(code, '').kind]).toEqual([code, kind])
    const source = readFileSync(join(root, 'src/model/wordings.ts'), 'utf8')
    const all = [...source.matchAll(/^ {2}'?([a-z-]+)'?: \{/gm)].map(([, code = '']) => code)
    expect(rows.flatMap(({ codes }) => codes).toSorted()).toEqual(all.toSorted())
  })
})
