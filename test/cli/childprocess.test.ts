import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type ChildProgram, run } from '../../src/cli/childprocess.ts'
import { newFolder } from '../support/folder.ts'

const inputOf = (pieces: Iterable<string>): AsyncIterable<string> => Readable.from(pieces)

const program = (script: string, more: Partial<ChildProgram> = {}): ChildProgram => ({
  command: [process.execPath, '-e', script],
  cwd: newFolder(),
  variables: { GIVEN: 'here' },
  input: inputOf([]),
  limit: 60_000,
  most: 1000,
  signal: new AbortController().signal,
  ...more,
})

/** Resolves once something is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('run', () => {
  it('gives what a program prints, in its folder, with its variables and input', async () => {
    const script = 'process.stdin.on("data", (d) => console.log(process.env.GIVEN, String(d)))'
    expect(await run(program(script, { input: inputOf(['a', 'é']) }))).toEqual({ printed: 'here aé\n' })
  })

  it('ends a program that is asked to, with what it started, though it does not want to', async () => {
    const cwd = newFolder()
    const stop = new AbortController()
    const script = `
      const child = require('child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => 0); setInterval(() => 0, 1000)'], { stdio: 'inherit' })
      process.on('SIGTERM', () => 0)
      require('fs').writeFileSync('pids', process.pid + ' ' + child.pid)
      setInterval(() => 0, 1000)`
    const running = run(program(script, { cwd, signal: stop.signal }))
    const file = join(cwd, 'pids')
    await until(() => existsSync(file) && readFileSync(file, 'utf8').includes(' '))
    const pids = readFileSync(file, 'utf8').split(' ').map(Number)
    expect(pids.map(isAlive)).toEqual([true, true])
    stop.abort()
    expect(await running).toEqual({ failed: 'signal', message: '' })
    await until(() => !pids.some(isAlive))
  })

  it('starts none where it is asked to stop before', async () => {
    const outcome = await run(program('setInterval(() => 0, 1000)', { signal: AbortSignal.abort() }))
    expect(outcome).toEqual({ failed: 'signal', message: '' })
  })

  it('reports a program that cannot be started, however the system says so', async () => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    for (const command of [file, join(file, 'below'), `${file}.missing`, 'a\0b'])
      expect(await run(program('', { command: [command] }))).toMatchObject({ failed: 'start' })
  })

  it('throws what its input throws, and ends the program', async () => {
    function* broken(): Generator<string> {
      yield 'a'
      throw new Error('no store')
    }
    await expect(run(program('process.stdin.resume()', { input: inputOf(broken()) }))).rejects.toThrow(
      'no store',
    )
  })

  it('takes a program that ends before it has read its input', async () => {
    function* endless(): Generator<string> {
      for (;;) yield 'x'.repeat(9999)
    }
    expect(await run(program('console.log(1)', { input: inputOf(endless()) }))).toEqual({ printed: '1\n' })
  })
})
