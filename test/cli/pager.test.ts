import { describe, expect, it } from 'vitest'
import type { Platform, Running } from '../../src/cli/platform.ts'
import { type Setting, Shell } from '../support/shell.ts'

interface Seen {
  readonly commands: string[]
  readonly signals: string[]
  less: string | undefined
  text: string
  ended: number
}

/** A pager that notes what it is given, and that its user leaves after so many characters. */
function pager(leaves = Number.POSITIVE_INFINITY) {
  const seen: Seen = { commands: [], signals: [], less: undefined, text: '', ended: 0 }
  const start: Platform['start'] = ([...command], { LESS }) => {
    seen.commands.push(command.join(' '))
    seen.less = LESS
    const running: Running = {
      write: (chunk, done) => {
        seen.text += String(chunk)
        if (seen.text.length > leaves) done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
        else done()
        return true
      },
      ended: () => {
        seen.ended++
        return Promise.resolve()
      },
      signal: (signal) => void seen.signals.push(signal),
    }
    return running
  }
  return { seen, start }
}

const terminal: Setting = { terminal: true, columns: 80, rows: 10 }

async function filled(): Promise<Shell> {
  const shell = new Shell()
  await shell.run('sess import sessions')
  return shell
}

describe('the pager', () => {
  it('shows what is longer than the screen, with its colours', async () => {
    const shell = await filled()
    const plain = await shell.run('sess log 3b1f', terminal)
    const { seen, start } = pager()
    expect(await shell.run('sess log 3b1f', { ...terminal, start })).toMatchObject({ code: 0, output: '' })
    expect(seen).toEqual({ commands: ['less'], signals: [], less: 'FRXK', text: plain.stdout, ended: 1 })
    expect(seen.text).toContain('\u001b[')
  })

  it.each([
    ['sess ls', terminal],
    ['sess log 3b1f -n 9', terminal],
    ['sess log 3b1f --no-pager', terminal],
    ['sess --no-pager log 3b1f', terminal],
    ['sess log 3b1f --json', terminal],
    ['sess log 3b1f', { ...terminal, terminal: false }],
    ['sess log 3b1f', { ...terminal, variables: { TERM: 'dumb' } }],
    ['sess log 3b1f', { ...terminal, variables: { SESS_PAGER: 'off' } }],
    ['sess export 3b1f', terminal],
    ['sess rev-list 3b1f', terminal],
  ])('leaves %s alone', async (line, setting) => {
    const shell = await filled()
    const { seen, start } = pager()
    const { code, stdout } = await shell.run(line, { ...setting, start })
    expect([code, seen.commands, stdout.length > 100]).toEqual([0, [], true])
  })

  it('is the one that the user chose', async () => {
    const shell = await filled()
    const { seen, start } = pager()
    const look = (variables: Record<string, string>) =>
      shell.run('sess log 3b1f', { ...terminal, start, variables })
    await look({ PAGER: 'more', LESS: 'i' })
    expect(seen.less).toBe('i')
    await shell.run(`sess config pager 'bat --style "a b"'`)
    await look({ PAGER: 'more' })
    await look({ PAGER: 'more', SESS_PAGER: 'most' })
    expect(seen.commands).toEqual(['more', 'bat --style a b', 'most'])
  })

  it('is left early in quiet, and nothing more is read', async () => {
    const shell = await filled()
    const { seen, start } = pager(100)
    expect(await shell.run('sess log 3b1f', { ...terminal, start })).toMatchObject({ code: 0, output: '' })
    expect(seen.ended).toBe(1)
  })

  it('comes before what is wrong, which is seen after it', async () => {
    const shell = await filled()
    const { seen, start } = pager()
    const { code, output } = await shell.run('sess show 3b1f 3b1f~1 3b1f~2 nothing', { ...terminal, start })
    expect(code).toBe(1)
    expect(seen).toMatchObject({ commands: ['less'], ended: 1 })
    expect(output).toContain("no session or entry is called 'nothing'")
    expect(seen.text).not.toContain('nothing')
  })

  it('gets the signal that stops the command while it takes nothing more', async () => {
    const shell = await filled()
    const signals: string[] = []
    let leave: () => void = () => undefined
    const start: Platform['start'] = () => ({
      write: (_, done) => {
        leave = () => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
        return true
      },
      ended: () => Promise.resolve(),
      signal: (signal) => {
        signals.push(signal)
        leave()
      },
    })
    const stopped = await shell.run('sess log 3b1f', { ...terminal, start, stopAfter: 10 })
    expect([stopped.code, signals]).toEqual([130, ['SIGINT']])
  })

  it('is not needed', async () => {
    const shell = await filled()
    const missing = await shell.run('sess log 3b1f', { ...terminal, start: () => undefined })
    const plain = await shell.run('sess log 3b1f --no-pager', terminal)
    expect(missing).toMatchObject({ code: 0, stdout: plain.stdout, stderr: '' })
  })
})
