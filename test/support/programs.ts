import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { newFolder } from './folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A program in a document. */
export interface Example {
  /** The heading that it stands under. */
  readonly name: string
  readonly program: string
  /** The block right behind it. */
  readonly output: string | undefined
}

/** Returns the programs of a document. */
export const examplesIn = (text: string): readonly Example[] =>
  [...text.matchAll(/^```(?:ts|js)\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?/gms)].map(
    ({ 1: program = '', 2: output, index }) => ({
      name:
        text
          .slice(0, index)
          .match(/^## .*$/gm)
          ?.at(-1)
          ?.slice(3) ?? 'the beginning',
      program,
      output,
    }),
  )

/** The exports of the package, and the module of `src` of each, without its ending. */
function entrances(): [name: string, module: string][] {
  const text = readFileSync(join(root, 'package.json'), 'utf8')
  const { exports } = JSON.parse(text) as { exports: Record<string, string | { default: string }> }
  return Object.entries(exports).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [[name, target.default.replace(/^\.\/dist\/|\.js$/g, '')] as const],
  ) as [string, string][]
}

/** Runs a program in an empty folder where the compiled package is installed, and expects what it prints. */
export function expectOutput({ program, output }: Example, dist: string): void {
  const folder = newFolder()
  const installed = join(folder, 'node_modules/sess')
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{}') // so that none above it counts
  const exports: Record<string, string> = {}
  for (const [i, [name, module]] of entrances().entries()) {
    exports[name] = `./${i}.js`
    writeFileSync(join(installed, `${i}.js`), `export * from ${JSON.stringify(join(dist, `${module}.js`))}\n`)
  }
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ type: 'module', exports }))
  writeFileSync(join(folder, 'program.mjs'), program)
  const run = spawnSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' })
  expect(run).toMatchObject({ stderr: '', stdout: output, status: 0 })
}

/** Expects that the compiler finds nothing wrong with programs. */
export function expectTypes(examples: readonly Example[]): void {
  const folder = newFolder()
  examples.forEach(({ program }, i) => writeFileSync(join(folder, `${i}.mts`), program))
  const paths = Object.fromEntries(
    entrances().map(([name, module]) => [`sess${name.slice(1)}`, [join(root, 'src', `${module}.ts`)]]),
  )
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noEmit: true, rootDir: '/', typeRoots: [join(root, 'node_modules/@types')], paths },
    include: ['*.mts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const run = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder, encoding: 'utf8' })
  expect(run).toMatchObject({ stderr: '', stdout: '', status: 0 })
}
