import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { serviceFor, setService } from '../../src/live/service.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const HOME = { home: '/home/a "b" 50% $x', variables: {}, cwd: '/' }
const program = { node: '/opt/no de/node', script: `/opt/it's/sess.js` }

it('a service of systemd watches all agents', () => {
  const service = serviceFor(HOME, { platform: 'linux', uid: 7, program, store: '/st ore' })
  expect(service?.path).toBe(join(HOME.home, '.config/systemd/user/sess-watch.service'))
  expect(service?.text).toContain(
    `\nExecStart="/opt/no de/node" "/opt/it's/sess.js" "--store" "/st ore" "watch"\n`,
  )
  expect(service?.text).toContain('\nWorkingDirectory=/home/a "b" 50%% $x\n')
  expect(service?.start.at(-1)).toEqual(['systemctl', '--user', 'enable', '--now', 'sess-watch.service'])
})

const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0

it.skipIf(!canVerify)('the unit is one that systemd accepts', () => {
  const home = newFolder()
  const script = join(home, 'sess.js')
  writeFileSync(script, '')
  const at = { home, variables: {}, cwd: home }
  const service = serviceFor(at, {
    platform: 'linux',
    uid: 7,
    program: { node: process.execPath, script },
    store: undefined,
  })
  const path = join(home, 'sess-watch.service')
  writeFileSync(path, service?.text ?? '')
  const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--user', path], {
    encoding: 'utf8',
    env: { ...process.env, XDG_RUNTIME_DIR: home, HOME: home },
  })
  expect(stderr.split('\n').filter((line) => line.includes('sess-watch'))).toEqual([])
  expect(status).toBe(0)
})

it('a property list of launchd is well-formed', () => {
  const service = serviceFor(HOME, {
    platform: 'darwin',
    uid: 7,
    program: { ...program, node: '/a&b<c>' },
    store: undefined,
  })
  expect(service?.path).toBe(join(HOME.home, 'Library/LaunchAgents/sess.watch.plist'))
  expect(service?.text).toContain('<string>/a&amp;b&lt;c&gt;</string>\n    <string>')
  const [, comment = ''] = /<!--([^]*?)-->/.exec(service?.text ?? '') ?? []
  expect(comment).not.toContain('--')
  const open: string[] = []
  for (const [, end, name = '', empty] of (service?.text ?? '').matchAll(/<(\/?)([a-z]+)(?: [^>]*?)?(\/?)>/g))
    if (end) expect(open.pop()).toBe(name)
    else if (!empty) open.push(name)
  expect(open).toEqual([])
  expect(service?.stop).toEqual([['launchctl', 'bootout', 'gui/7/sess.watch']])
})

it('a service is written, left as it is, and removed', async () => {
  const home = newFolder()
  const at = { home, variables: {}, cwd: home }
  const set = (more: object = {}) =>
    setService(at, { program, store: undefined, remove: false, dryRun: false, ...more })
  expect(set({ dryRun: true }).change).toBe('create')
  expect(set().change).toBe('create')
  expect(set().change).toBe('none')
  expect(set({ store: '/other' }).change).toBe('change')
  expect(set({ remove: true }).change).toBe('remove')
  expect(set({ remove: true }).change).toBe('none')
  const { path } = set({ dryRun: true })
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'mine')
  await expectFailure('exists', () => set())
  await expectFailure('exists', () => set({ remove: true }))
})
