import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { launcherText } from '../../src/live/launcher.ts'
import { savedOf } from '../../src/live/saved.ts'
import { built, script } from '../support/built.ts'
import { expectStored, LiveMachine } from '../support/livemachine.ts'
import { newVolume } from '../support/volume.ts'

/** What every agent must see of a hook, whatever is broken. */
const SILENT = { code: 0, printed: '' }

const faultsOf = (machine: LiveMachine): string => readFileSync(join(machine.live, 'faults.jsonl'), 'utf8')

describe('a hook', () => {
  it('has the session of an agent imported, byte for byte, into a store that is not there yet', async () => {
    const machine = new LiveMachine()
    machine.write()
    expect(machine.hook()).toEqual(SILENT)
    await machine.settled()
    await expectStored(machine)
    expect(machine.waiting).toEqual([])
    expect(savedOf(machine.live, machine.file)).toMatchObject({
      session: machine.session,
      size: statSync(machine.file).size,
      branch: 'main',
    })
  })

  it('has the lines that the agent writes after it imported too', async () => {
    const machine = new LiveMachine()
    const [first = '', ...rest] = machine.nextTurn()
    machine.write([first])
    expect(machine.hook()).toEqual(SILENT)
    machine.write(rest)
    await expect.poll(() => existsSync(join(machine.live, 'saved')), { timeout: 40_000 }).toBe(true)
    machine.write()
    await machine.settled()
    await expectStored(machine)
  })

  it('keeps its notes and those of the store private', () => {
    const machine = new LiveMachine()
    rmSync(machine.live, { recursive: true })
    machine.hook()
    expect(statSync(machine.live).mode & 0o777).toBe(0o700)
    const spool = join(machine.live, 'spool')
    for (const name of readdirSync(spool)) expect(statSync(join(spool, name)).mode & 0o777).toBe(0o600)
  })

  it('starts one settler for several sessions at once', async () => {
    const machine = new LiveMachine()
    machine.write()
    const results = Array.from({ length: 4 }, () => machine.hook())
    expect(results).toEqual([SILENT, SILENT, SILENT, SILENT])
    await machine.settled()
    await expectStored(machine)
  })

  it('says nothing whatever it is told, and the next one is settled', async () => {
    const machine = new LiveMachine()
    const told = {
      nothing: '',
      'no JSON': '{"transcript_path": "/x',
      'a path that is relative': '{"transcript_path":"../../etc/passwd"}',
      'a path of a file that is not there': '{"transcript_path":"/nowhere/at/all.jsonl","cwd":"/nowhere"}',
      'a file of credentials': '{"transcript_path":"/root/.netrc"}',
      'values of other types': '{"transcript_path":{"a":1},"cwd":7,"session_id":[]}',
      'JSON that is no object': '[1,2]',
    }
    for (const [name, text] of Object.entries(told))
      expect([name, machine.hook(text)]).toEqual([name, SILENT])
    machine.write()
    expect(machine.hook()).toEqual(SILENT)
    await machine.settled()
    await expectStored(machine)
    expect(machine.waiting).toEqual([])
  })

  it('has sessions imported into the store that the set-up names', async () => {
    const machine = new LiveMachine()
    machine.write()
    Object.assign(machine, { store: join(machine.root, 'chosen') })
    writeFileSync(join(machine.live, 'setup.json'), JSON.stringify({ store: machine.store, files: {} }))
    expect(machine.hook()).toEqual(SILENT)
    await machine.settled()
    await expectStored(machine)
  })

  it('does nothing where hooks are off', () => {
    const machine = new LiveMachine()
    expect(machine.hook(machine.told(), ['claude-code'], { SESS_HOOKS: 'off' })).toEqual(SILENT)
    expect(readdirSync(machine.live)).toEqual([])
  })

  it('says nothing where its folder cannot be written to', async () => {
    const machine = new LiveMachine()
    machine.write()
    rmSync(machine.live, { recursive: true })
    writeFileSync(machine.live, 'a file')
    expect(machine.hook()).toEqual(SILENT)
    rmSync(machine.live)
    expect(machine.hook()).toEqual(SILENT)
    await machine.settled()
    await expectStored(machine)
  })

  it('finds the session that was written to last where its agent names none', async () => {
    const machine = new LiveMachine()
    machine.write()
    expect(machine.hook('{}')).toEqual(SILENT)
    await machine.settled()
    await expectStored(machine)
  })

  it('is told by notify in its last word, and runs the program that was told before', async () => {
    const machine = new LiveMachine()
    const thread = '019d3f52-0000-7000-8000-000000000001'
    const rollout = machine.put(
      `home/.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${thread}.jsonl`,
      `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: 'session_meta', payload: { id: thread, cwd: '/work', timestamp: '2026-01-01T00:00:00.000Z' } })}\n`,
    )
    appendFileSync(
      rollout,
      `${JSON.stringify({ timestamp: '2026-01-01T00:00:01.000Z', type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] } })}\n`,
    )
    const heard = join(machine.root, 'heard')
    const told = JSON.stringify({ type: 'agent-turn-complete', 'thread-id': thread, cwd: machine.root })
    const former = [
      process.execPath,
      '-e',
      'require("fs").writeFileSync(process.argv[1], process.argv[2])',
      heard,
    ]
    expect(machine.hook('', ['codex', '--notify', ...former, told])).toEqual(SILENT)
    await expect.poll(() => existsSync(heard) && readFileSync(heard, 'utf8')).toBe(told)
    await machine.settled()
    await machine.imported()
    expect(savedOf(machine.live, rollout)?.size).toBe(statSync(rollout).size)
  })
})

describe('a hook whose store', () => {
  it('is damaged says nothing, writes down why, and has its session imported once the store is back', async () => {
    const machine = new LiveMachine()
    machine.write()
    machine.hook()
    await machine.settled()
    const identity = readdirSync(machine.store).filter((name) => /^db\.\d+$/.test(name))
    expect(identity.length).toBeGreaterThan(0)
    renameSync(machine.store, `${machine.store}.good`)
    mkdirSync(machine.store, { recursive: true })
    writeFileSync(join(machine.store, 'sess.json'), 'damaged')
    writeFileSync(join(machine.store, 'letter.txt'), 'mine')
    machine.write()
    expect(machine.hook()).toEqual(SILENT)
    await machine.settled()
    expect(faultsOf(machine)).toContain('"code":')
    expect(machine.waiting).toHaveLength(1)
    rmSync(machine.store, { recursive: true })
    renameSync(`${machine.store}.good`, machine.store)
    expect(machine.hook('{"transcript_path":"/nowhere.jsonl"}')).toEqual(SILENT)
    await machine.settled()
    await expectStored(machine)
    expect(machine.waiting).toEqual([])
  })

  it('is locked says nothing, ends within ten seconds, and has its session imported afterwards', async () => {
    const machine = new LiveMachine()
    machine.write()
    machine.hook()
    await machine.settled()
    const holder = spawn(process.execPath, [script('stuck.mjs'), built(), machine.store], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void holder.kill('SIGKILL'))
    await once(holder.stdout, 'data')
    machine.write()
    expect(machine.hook()).toEqual(SILENT)
    await machine.settled()
    holder.kill('SIGKILL')
    await once(holder, 'close')
    expect(machine.hook('{}')).toEqual(SILENT)
    await machine.settled()
    await expectStored(machine)
    expect(machine.waiting).toEqual([])
  })

  it('is locked for a moment has its session imported by the same settler', async () => {
    const machine = new LiveMachine()
    machine.write()
    machine.hook()
    await machine.settled()
    const holder = spawn(process.execPath, [script('hold.mjs'), built(), machine.store, '2000'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void holder.kill('SIGKILL'))
    await once(holder.stdout, 'data')
    machine.write()
    expect(machine.hook()).toEqual(SILENT)
    await machine.settled()
    await expectStored(machine)
  })

  const volume = newVolume(4 << 20)
  it.skipIf(volume === undefined)(
    'is on a full disk says nothing, and has its session imported when there is room',
    async () => {
      const machine = new LiveMachine()
      const [data, live] = [join(volume as string, 'data'), join(volume as string, 'live')]
      mkdirSync(live)
      Object.assign(machine, { live, store: join(data, 'sess') })
      const variables = { XDG_DATA_HOME: data }
      machine.write()
      machine.hook(machine.told(), undefined, variables)
      await machine.settled()
      const ballast = join(volume as string, 'ballast')
      const { bavail, bsize } = statfsSync(volume as string)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize))
      for (let turn = 0; turn < 40; turn++) machine.write()
      expect(machine.hook(machine.told(), undefined, variables)).toEqual(SILENT)
      await machine.settled()
      rmSync(ballast)
      expect(machine.hook(machine.told(), undefined, variables)).toEqual(SILENT)
      await machine.settled()
      await expectStored(machine)
    },
  )
})

describe('the settler', () => {
  it('is replaced where it was killed, or does not answer', async () => {
    const machine = new LiveMachine()
    machine.write()
    writeFileSync(join(machine.live, 'settler.lock'), '999999999')
    expect(machine.hook()).toEqual(SILENT)
    await machine.settled()
    await expectStored(machine)
  })

  it('leaves nothing running after ten seconds', async () => {
    const machine = new LiveMachine()
    machine.patient = true
    machine.write()
    machine.hook()
    await expect.poll(() => machine.isSettling).toBe(true)
    const pid = Number(readFileSync(join(machine.live, 'settler.lock'), 'utf8'))
    await machine.settled()
    await expect.poll(() => spawnSync('kill', ['-0', `${pid}`]).status, { timeout: 5000 }).not.toBe(0)
    await expectStored(machine)
  })
})

describe('the launcher', () => {
  const launched = (node: string, sess: string, words: readonly string[]) => {
    const machine = new LiveMachine()
    const path = machine.put("it's a launcher", launcherText({ node, script: sess }, machine.live))
    chmodSync(path, 0o755)
    const { status, stdout, stderr } = spawnSync(path, words, { input: '{}', encoding: 'utf8' })
    return { code: status, printed: stdout + stderr }
  }

  it('is silent for a hook where sess or node is gone', () => {
    expect(launched('/nowhere/node', '/nowhere/sess.js', ['hook', 'claude-code'])).toEqual(SILENT)
    expect(launched(process.execPath, '/nowhere/sess.js', ['hook', 'claude-code'])).toEqual(SILENT)
  })

  it('is silent for a hook that crashes', () => {
    const machine = new LiveMachine()
    const crashing = machine.put("a script's name.js", 'console.log(1); throw new Error("x")')
    expect(launched(process.execPath, crashing, ['hook', 'claude-code'])).toEqual(SILENT)
  })

  it('passes words on, with the folder', () => {
    const machine = new LiveMachine()
    const echo = machine.put('echo.js', 'console.log(JSON.stringify(process.argv.slice(2)))')
    expect(launched(process.execPath, echo, ['ls', 'a b']).printed).toBe('["ls","a b"]\n')
    expect(launched(process.execPath, echo, ['statusline', '--then', "echo 'x'"]).printed).toMatch(
      /^\["statusline","--folder",".*\/live","--then","echo 'x'"\]\n$/,
    )
  })
})
