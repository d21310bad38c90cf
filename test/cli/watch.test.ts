import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { expect, it } from 'vitest'
import { main } from '../../src/cli/main.ts'
import type { OutputStream } from '../../src/cli/platform.ts'
import { Shell } from '../support/shell.ts'

const ID = '019d4e07-5b20-7d11-a6c2-93e1f04b7a65'
const FOLDER = '.pi/agent/sessions/--home-ada--'

/** The sample session of pi, a line each. */
const lines = (shell: Shell): string[] =>
  shell.read('sessions/pi', `2026-04-02T07-30-00-000Z_${ID}.jsonl`).split(/(?<=\n)/)

interface Watching {
  /** Resolves once so many lines were printed in all, with the last of them. */
  readonly line: (count: number) => Promise<string>
  /** Stops it as Ctrl-C does, and gives what it exits with. */
  readonly stop: () => Promise<number>
  readonly notes: () => string
}

/** Runs `sess watch` beside the test. */
function watching(shell: Shell, ...argv: string[]): Watching {
  let [out, notes] = ['', '']
  let heard: (signal: 'SIGINT') => void = () => undefined
  let printed: () => void = () => undefined
  const to = (write: (text: string) => void): OutputStream => ({
    write: (chunk, done) => {
      write(String(chunk))
      printed()
      done()
      return true
    },
  })
  const more = (): Promise<void> =>
    new Promise((resolve) => {
      printed = resolve
    })
  const stdout = to((text) => {
    out += text
  })
  const stderr = to((text) => {
    notes += text
  })
  const world = {
    ...shell.platform({}, stdout, stderr),
    onSignal: (listener: typeof heard) => {
      heard = listener
      return () => undefined
    },
  }
  const code = main(['watch', ...argv], world)
  return {
    line: async (count) => {
      for (;;) {
        const all = out.split('\n').slice(0, -1)
        if (all.length >= count) return (all[count - 1] ?? '').replaceAll(shell.dir, '/home/ada')
        await more()
      }
    },
    stop: () => {
      heard('SIGINT')
      return code
    },
    notes: () => notes.replaceAll(shell.dir, '/home/ada'),
  }
}

it('takes in what an agent writes, as it writes it, beside other commands, and stops when told', async () => {
  const shell = new Shell()
  const said = lines(shell)
  mkdirSync(shell.path(FOLDER), { recursive: true })
  const file = shell.path(FOLDER, `2026_${ID}.jsonl`)
  writeFileSync(file, said.slice(0, 6).join(''))
  const watch = watching(shell)
  expect(await watch.line(1)).toMatchInlineSnapshot(
    `"2026-05-01 12:00 pi 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 +5 entries  .pi/agent/sessions/--home-ada--/2026_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl"`,
  )
  appendFileSync(file, said[6] ?? '')
  expect(await watch.line(2)).toContain('+1 entry')
  expect(JSON.parse((await shell.run('sess ls --json')).stdout)).toMatchObject({ id: ID, format: 'pi' })
  // A torn line is taken when it is whole, also where the file was renamed meanwhile.
  const [line = ''] = said.slice(7)
  appendFileSync(file, line.slice(0, 20))
  expect((await shell.run("sess rename 019d4e07 'While watched'")).code).toBe(0)
  const renamed = shell.path(FOLDER, `renamed_${ID}.jsonl`)
  renameSync(file, renamed)
  appendFileSync(renamed, line.slice(20) + said.slice(8).join(''))
  let last = ''
  // A torn file may be reported separately.
  for (let n = 3; !last.includes('renamed_'); n++) last = await watch.line(n)
  expect(last).toContain(ID)
  const code = await watch.stop()
  expect(code).toBe(0)
  expect(watch.notes()).toMatchInlineSnapshot(`
    "watching 1 folder of pi; Ctrl-C stops
    "
  `)
  expect((await shell.run(`sess export ${ID}`)).stdout).toBe(readFileSync(renamed, 'utf8'))
  expect(JSON.parse((await shell.run('sess ls --json')).stdout)).toMatchObject({
    id: ID,
    entries: 15,
    title: 'While watched',
  })
})

it('takes at the next start what was written meanwhile, and leaves what was deleted', async () => {
  const shell = new Shell()
  const said = lines(shell)
  mkdirSync(shell.path('logs'))
  const file = shell.path('logs', `${ID}.jsonl`)
  writeFileSync(file, said.slice(0, 6).join(''))
  const first = watching(shell, 'logs', '--json')
  const { time, session, newEntries } = JSON.parse(await first.line(1)) as Record<string, unknown>
  expect({ time, session, newEntries }).toMatchInlineSnapshot(`
    {
      "newEntries": 5,
      "session": "019d4e07-5b20-7d11-a6c2-93e1f04b7a65",
      "time": "2026-05-01T12:00:00.000Z",
    }
  `)
  expect(await first.stop()).toBe(0)
  appendFileSync(file, said.slice(6).join(''))
  const second = watching(shell, `logs/${ID}.jsonl`)
  expect(await second.line(1)).toContain('entries')
  rmSync(file)
  expect(await second.stop()).toBe(0)
  expect((await shell.run(`sess export ${ID}`)).stdout).toBe(said.join(''))
})

it('takes what was written before a file was rotated, cut short or deleted and made anew', async () => {
  const shell = new Shell()
  const said = lines(shell)
  const file = shell.path('logs', `${ID}.jsonl`)
  mkdirSync(shell.path('logs'))
  writeFileSync(file, said.slice(0, 6).join(''))
  const watch = watching(shell, 'logs', '--json')
  await watch.line(1)
  appendFileSync(file, said[6] ?? '')
  renameSync(file, `${file}.1`)
  expect(JSON.parse(await watch.line(2))).toMatchObject({
    session: ID,
    newEntries: 1,
    path: `/home/ada/logs/${ID}.jsonl.1`,
  })
  // Of a session that begins anew under its old id nothing that was there is lost.
  const other = said.map((line) => line.replaceAll(ID, 'other').replaceAll('Brest', 'Nice'))
  writeFileSync(file, other.slice(0, 4).join(''))
  const { session } = JSON.parse(await watch.line(3)) as { session: string }
  expect(session).toBe('other')
  truncateSync(file, 0)
  appendFileSync(file, other.join(''))
  expect(JSON.parse(await watch.line(4))).toMatchObject({ session, entries: 15 })
  expect(await watch.stop()).toBe(0)
  expect((await shell.run(`sess export ${ID}`)).stdout).toBe(said.slice(0, 7).join(''))
  expect((await shell.run('sess export other')).stdout).toBe(other.join(''))
  expect(JSON.parse((await shell.run('sess fsck --json')).stdout)).toMatchObject({ findings: [] })
})

it('is not what undo takes back', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  const watch = watching(shell, 'sessions/pi')
  await watch.line(1)
  await watch.stop()
  expect(await shell.type('sess undo')).toMatchInlineSnapshot(`
    "$ sess undo
    Undid operation 1 (2026-05-01 12:00, 2 minutes ago): sess import sessions/claude
      - session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14  "Tide table one hour off"
      - session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e  "Tide table one hour off (fork)"
    ! redo it with: sess redo
    "
  `)
  expect((await shell.run('sess ls --json')).stdout).toContain(ID)
})

it('says what it waits for that is not there yet', async () => {
  const shell = new Shell({ samples: false })
  const watched = async (line: string, stopAt: RegExp): Promise<string> =>
    (await shell.run(line, { stopAt })).stderr
  expect(await watched('sess watch', /stops\n/)).toBe(
    'no agent keeps sessions here yet: waiting for one that does; Ctrl-C stops\n',
  )
  expect(await watched('sess watch coming.jsonl', /once it does\n/)).toBe(
    "watching 1 folder; Ctrl-C stops\n'coming.jsonl' does not exist yet: it is imported once it does\n",
  )
})

it('refuses what is nowhere', async () => {
  expect(await new Shell().type('sess watch nowhere/at/all')).toMatchInlineSnapshot(`
    "$ sess watch nowhere/at/all
    ! sess: there is no file or folder '/home/ada/nowhere/at/all'
    ! hint: check the path
    exit 1
    "
  `)
})
