import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIVE_AGENTS } from '../../src/live/agents.ts'
import { nodeAt, readObject, valueOf, withChild } from '../../src/live/jsontext.ts'
import { type SetupOptions, type SetupPlace, setUp, takeDown } from '../../src/live/setup.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const PROGRAM = { node: process.execPath, script: '/opt/sess/bin/sess.js' }

/** A home with some files of settings. */
function homeWith(
  files: Readonly<Record<string, string>> = {},
): SetupPlace & { readonly path: (name: string) => string } {
  const home = newFolder()
  const path = (name: string): string => join(home, name)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), text)
  }
  return { home, variables: {}, cwd: home, folder: join(home, '.local/share/sess-live'), path }
}

const install = (place: SetupPlace, options: Partial<SetupOptions> = {}) =>
  setUp(place, PROGRAM, { agents: [], statusline: false, dryRun: false, ...options })

const uninstall = (place: SetupPlace, agents: readonly string[] = []) =>
  takeDown(place, { agents, dryRun: false })

const read = (path: string): string => readFileSync(path, 'utf8')

const SETTINGS = '.claude/settings.json'

/** Settings as people write them. */
const FORMS: Readonly<Record<string, string>> = {
  empty: '{}',
  'empty with a newline': '{}\n',
  'an empty file': '',
  spread: '{\n  "model": "opus"\n}\n',
  'in one line': '{ "model": "opus", "env": { "A": "b" } }',
  tabs: '{\n\t"model": "opus",\n\t"permissions": {\n\t\t"allow": ["Bash(ls:*)"]\n\t}\n}\n',
  'lines of Windows': '{\r\n    "model": "opus"\r\n}\r\n',
  'a byte order mark': '\ufeff{\n  "model": "opus"\n}\n',
  comments:
    '// mine\n{\n  /* first */ "model": "opus", // the best\n  "x": [1, 2] // last\n  // end\n}\n// after\n',
  'trailing commas': '{\n  "model": "opus",\n  "env": {"A": "b",},\n}\n',
  'hooks of others':
    '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "beep" }] } // loud\n    ],\n    "PreToolUse": []\n  }\n}\n',
  'empty hooks': '{\n  "hooks": { }\n}\n',
  'empty events': '{"hooks":{"Stop":[],"SessionEnd":[ ]}}',
  'hooks last': '{"a":1,"hooks":{"Notification":[{"hooks":[]}]}}',
  'strings with brackets and slashes': '{\n  "a": "}] // \\" /* ",\n  "b\\"c": {}\n}\n',
}

describe.each(Object.entries(FORMS))('settings that are %s', (_, text) => {
  it('get hooks and a statusline, and are given back byte for byte', () => {
    const place = homeWith({ [SETTINGS]: text })
    install(place, { statusline: true })
    const changed = read(place.path(SETTINGS))
    const root = readObject(changed)
    const hooks = valueOf(changed, nodeAt(root, ['hooks', 'Stop'])!)
    const own = `'${place.folder}/sess' hook claude-code`
    expect(hooks).toContainEqual({ hooks: [{ type: 'command', command: own, timeout: 5 }] })
    expect(valueOf(changed, nodeAt(root, ['statusLine', 'command'])!)).toBe(
      `'${place.folder}/sess' statusline`,
    )
    uninstall(place)
    expect(read(place.path(SETTINGS))).toBe(text)
    expect(existsSync(place.folder)).toBe(false)
  })

  it('are not changed by a second set-up', () => {
    const place = homeWith({ [SETTINGS]: text })
    install(place, { statusline: true })
    const changed = read(place.path(SETTINGS))
    expect(install(place, { statusline: true })[0]?.files[0]).toMatchObject({
      before: changed,
      after: changed,
    })
    expect(read(place.path(SETTINGS))).toBe(changed)
  })

  it('keep what others add meanwhile, and lose only what is of sess', () => {
    const place = homeWith({ [SETTINGS]: text })
    install(place)
    const changed = read(place.path(SETTINGS))
    writeFileSync(place.path(SETTINGS), withChild(changed, readObject(changed), 'added', { by: 'others' }))
    uninstall(place)
    const left = read(place.path(SETTINGS))
    const before = text === '' ? {} : (valueOf(text, readObject(text)) as object)
    expect(valueOf(left, readObject(left))).toEqual({ ...before, added: { by: 'others' } })
    for (const comment of text.match(/\/\/ \w+|\/\* \w+ \*\//g) ?? []) expect(left).toContain(comment)
  })
})

/** JSON with any white space, comments and trailing commas between its parts. */
const blank = fc.constantFrom('', ' ', '\n', '\n  ', '\t', ' /* c */ ', ' // c\n')
const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('1', '-2.5e3', 'true', 'null', '"a\\"b"', '"// {"'),
    tie('object'),
    fc
      .tuple(fc.array(fc.tuple(blank, tie('value'), blank), { maxLength: 3 }), fc.boolean())
      .map(
        ([items, comma]) =>
          `[${items.map((parts) => parts.join('')).join(',')}${comma && items.length > 0 ? ',' : ''}]`,
      ),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(
        fc.tuple(fc.constantFrom('a', 'b', 'env', 'model', 'x y'), blank, blank, tie('value'), blank),
        { maxLength: 4, selector: ([name]) => name },
      ),
      fc.boolean(),
      blank,
    )
    .map(
      ([members, comma, end]) =>
        `{${members.map(([name, a, b, value, c]) => `${a}"${name}":${b}${value}${c}`).join(',')}${comma && members.length > 0 ? ',' : ''}${end}}`,
    ),
})).object

it('settings of any form are given back, and mean the same in between', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const place = homeWith({ [SETTINGS]: text })
      install(place, { statusline: true })
      const changed = read(place.path(SETTINGS))
      const { hooks, statusLine, ...others } = valueOf(changed, readObject(changed)) as Record<string, object>
      expect(others).toEqual(valueOf(text, readObject(text)))
      expect([Object.keys(hooks ?? {}).length, Object.keys(statusLine ?? {})]).toEqual([
        6,
        ['type', 'command'],
      ])
      // As if the record of the set-up were lost: part by part.
      writeFileSync(join(place.folder, 'setup.json'), '')
      uninstall(place)
      const left = read(place.path(SETTINGS))
      expect(valueOf(left, readObject(left))).toEqual(valueOf(text, readObject(text)))
    }),
    { numRuns: 60 },
  )
})

describe('a set-up', () => {
  it('of all agents is taken back byte for byte', () => {
    const files = {
      '.claude/settings.json': '{"a":1}\n',
      '.codex/config.toml': 'model = "gpt" # mine\n\n[tui]\nnotify = ["x"]\n',
      '.codex/hooks.json': '{ "hooks": { "Stop": [] } }\n',
      '.gemini/settings.json': '{\n  // theme\n  "ui": { "theme": "dark" }\n}\n',
      '.pi/agent/settings.json': '{}',
      '.config/opencode/opencode.jsonc': '{}',
    }
    const place = homeWith(files)
    const changes = install(place)
    expect(changes.map(({ agent }) => agent)).toEqual(LIVE_AGENTS.map(({ name }) => name))
    expect(read(place.path('.pi/agent/extensions/sess.js'))).toContain(`"${place.folder}/sess"`)
    expect(read(place.path('.config/opencode/plugins/sess.js'))).toContain(`"${place.folder}/sess"`)
    expect(statSync(join(place.folder, 'sess')).mode & 0o777).toBe(0o700)
    expect(statSync(place.folder).mode & 0o777).toBe(0o700)
    uninstall(place)
    for (const [name, text] of Object.entries(files))
      expect([name, read(place.path(name))]).toEqual([name, text])
    for (const name of ['.pi/agent/extensions/sess.js', '.config/opencode/plugins/sess.js'])
      expect(existsSync(place.path(name))).toBe(false)
  })

  it('that is a dry run writes nothing', () => {
    const place = homeWith({ [SETTINGS]: '{}' })
    const [claude] = install(place, { dryRun: true })
    expect(claude?.files[0]?.after).toContain('SessionEnd')
    expect(read(place.path(SETTINGS))).toBe('{}')
    expect(existsSync(place.folder)).toBe(false)
  })

  it('makes settings where there are none, and removes them again', () => {
    const place = homeWith()
    install(place, { agents: ['claude', 'codex'] })
    expect(read(place.path(SETTINGS))).toContain('hook claude-code')
    expect(read(place.path('.codex/config.toml'))).toContain('notify = [')
    uninstall(place)
    for (const name of [SETTINGS, '.codex/config.toml', '.codex/hooks.json'])
      expect(existsSync(place.path(name))).toBe(false)
  })

  it('keeps the mode of settings, and a link to them', () => {
    const place = homeWith({ 'dotfiles/claude.json': '{"a":1}' })
    mkdirSync(place.path('.claude'))
    symlinkSync('../dotfiles/claude.json', place.path(SETTINGS))
    install(place)
    expect(readlinkSync(place.path(SETTINGS))).toBe('../dotfiles/claude.json')
    expect(statSync(place.path(SETTINGS)).mode & 0o777).toBe(0o644)
    expect(read(place.path('dotfiles/claude.json'))).toContain('hook claude-code')
    uninstall(place)
    expect(lstatSync(place.path(SETTINGS)).isSymbolicLink()).toBe(true)
    expect(read(place.path(SETTINGS))).toBe('{"a":1}')
  })

  it.each([
    ['no JSON', '{"a": '],
    ['a list', '[]'],
    ['hooks of another form', '{"hooks": []}'],
    ['events of another form', '{"hooks": {"Stop": {}}}'],
  ])('refuses settings that are %s, and changes nothing', async (_, text) => {
    const place = homeWith({ [SETTINGS]: text })
    const error = await expectFailure('bad-config', () => install(place))
    expect(error.message).toContain(place.path(SETTINGS))
    expect(read(place.path(SETTINGS))).toBe(text)
  })

  it('refuses to replace an extension of another name-sake', async () => {
    const place = homeWith({ '.pi/agent/extensions/sess.js': '// mine' })
    await expectFailure('exists', () => install(place, { agents: ['pi'] }))
    uninstall(place)
    expect(read(place.path('.pi/agent/extensions/sess.js'))).toBe('// mine')
  })

  it('replaces hooks that an earlier one wrote in another form', () => {
    const place = homeWith({ [SETTINGS]: '{}' })
    install(place)
    const now = read(place.path(SETTINGS))
    writeFileSync(place.path(SETTINGS), now.replaceAll('"timeout": 5', '"timeout": 60'))
    install(place)
    expect(read(place.path(SETTINGS))).toBe(now)
  })

  it('takes only named agents out', () => {
    const place = homeWith({ [SETTINGS]: '{}', '.gemini/settings.json': '{}' })
    install(place)
    uninstall(place, ['gemini'])
    expect(read(place.path('.gemini/settings.json'))).toBe('{}')
    expect(read(place.path(SETTINGS))).toContain('hook claude-code')
    uninstall(place)
    expect(read(place.path(SETTINGS))).toBe('{}')
  })
})

describe('a statusline', () => {
  it.each([
    ['in one line', `{"statusLine": {"type": "command", "command": "echo 'it''s' \\"me\\"", "padding": 0}}`],
    ['spread', '{\n  "statusLine": {\n    "type": "command",\n    "command": "~/.claude/line.sh"\n  }\n}\n'],
  ])('of the user, %s, is run first, and given back', (_, text) => {
    const place = homeWith({ [SETTINGS]: text })
    install(place, { statusline: true })
    const changed = read(place.path(SETTINGS))
    const commandIn = (settings: string): string =>
      valueOf(settings, nodeAt(readObject(settings), ['statusLine', 'command'])!) as string
    const [former, command] = [commandIn(text), commandIn(changed)]
    expect(command).toBe(`'${place.folder}/sess' statusline --then '${former.replaceAll("'", "'\\''")}'`)
    writeFileSync(join(place.folder, 'setup.json'), '')
    uninstall(place)
    expect(read(place.path(SETTINGS))).toBe(text)
  })
})

describe('notify of Codex', () => {
  const CONFIG = '.codex/config.toml'
  const own = (place: SetupPlace): string => `["${place.folder}/sess", "hook", "codex", "--notify"`

  it.each([
    ['nothing', 'model = "o"\n', (head: string) => `notify = ${head}]\nmodel = "o"\n`],
    ['a program', 'notify = ["a b", \'c\'] # x\n', (head: string) => `notify = ${head}, "a b", 'c'] # x\n`],
    [
      'a program in several lines',
      '# first\nnotify = [\n  "say", # loud\n  "x\\u0041",\n]\n[a]\nb = 1\n',
      (head: string) => `# first\nnotify = ${head}, \n  "say", # loud\n  "x\\u0041",\n]\n[a]\nb = 1\n`,
    ],
    ['an empty list', 'notify = []\n', (head: string) => `notify = ${head}]\n`],
    [
      'nothing, and a table that has one',
      '[tui]\nnotify = ["x"]\n',
      (head: string) => `notify = ${head}]\n[tui]\nnotify = ["x"]\n`,
    ],
  ])('that calls %s calls it still, and is given back', (_, text, expected) => {
    const place = homeWith({ [CONFIG]: text })
    install(place, { agents: ['codex'] })
    expect(read(place.path(CONFIG))).toBe(expected(own(place)))
    // As if the record of the set-up were lost, but for what was empty.
    const record = JSON.parse(read(join(place.folder, 'setup.json'))) as {
      files: Record<string, { sha256: string }>
    }
    for (const file of Object.values(record.files)) file.sha256 = ''
    writeFileSync(join(place.folder, 'setup.json'), JSON.stringify(record))
    uninstall(place)
    expect(read(place.path(CONFIG))).toBe(text)
  })

  it('is refused where it is no list, or cannot be found for sure', async () => {
    for (const text of ['notify = "x"\n', 'notify = [1]\n', 'a = """\n[x]\n"""\nnotify = ["x"]\n']) {
      const place = homeWith({ [CONFIG]: text })
      await expectFailure('bad-config', () => install(place, { agents: ['codex'] }))
      expect(read(place.path(CONFIG))).toBe(text)
    }
  })
})
