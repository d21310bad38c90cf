import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Terminal, type TerminalStreams } from '../../../src/tui/terminal/terminal.ts'

/** A terminal on streams that only remember whether keys are read raw. */
function entered() {
  const heard: string[] = []
  const input = Object.assign(new EventEmitter(), {
    isRaw: false,
    setEncoding: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    setRawMode: (isRaw: boolean) => void (input.isRaw = isRaw),
  })
  const output = Object.assign(new EventEmitter(), { columns: 80, rows: 24, write: () => true })
  const process = Object.assign(new EventEmitter(), { pid: 1, kill: () => true })
  const terminal = new Terminal({ input, output, process, colored: false } as unknown as TerminalStreams, {
    key: () => undefined,
    redraw: () => heard.push('redraw'),
    end: (signal) => heard.push(signal),
  })
  terminal.enter()
  return { terminal, input, process, heard }
}

describe('a terminal', () => {
  it('leaves Ctrl+C to the program that it is lent to', async () => {
    const { terminal, input, process, heard } = entered()
    await terminal.lend(() => {
      expect(input.isRaw).toBe(false)
      process.emit('SIGINT')
      return Promise.resolve()
    })
    expect([input.isRaw, heard]).toEqual([true, ['redraw']])
    process.emit('SIGINT')
    expect(heard.at(-1)).toBe('SIGINT')
    terminal.leave()
  })

  it('comes back where the process is not stopped: it has no shell above it', async () => {
    const { terminal, input } = entered()
    terminal.suspend()
    expect(input.isRaw).toBe(false)
    await expect.poll(() => input.isRaw).toBe(true)
    terminal.leave()
  })

  it('stays as it was once it is left, whatever ends later', async () => {
    const { terminal, input, process } = entered()
    let release = (): void => undefined
    const lent = terminal.lend(() => new Promise<void>((done) => (release = done)))
    terminal.leave()
    release()
    await lent
    process.emit('SIGCONT')
    await pause(0)
    expect(input.isRaw).toBe(false)
  })
})
