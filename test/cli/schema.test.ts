import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import type { Interfaces } from '../../src/cli/interfaces.ts'
import { isObject, type Json } from '../../src/model/json.ts'
import { listedByHelp } from '../support/help.ts'
import { violations } from '../support/schema.ts'
import { GITHUB } from '../support/secrets.ts'
import { type Setting, Shell } from '../support/shell.ts'

const MAIN = 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main'
const LINE = '{"type":"note","body":{"of":"tides"}}\n'

type Run = string | readonly [line: string, stdin: string]

/** A sample session file of pi. */
const PI = 'sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl'

/** The lines that are typed of each command on the sample sessions; `--json` is added. */
const RUNS: Readonly<Record<string, readonly Run[]>> = {
  init: ['sess init'],
  compact: ['sess compact 3b1f --keep-tokens 20', 'sess compact 3b1f~1 --keep-tokens 0 --summary x'],
  handoff: ['sess handoff "go on" 3b1f'],
  import: ['sess import sessions'],
  export: ['sess export 3b1f --out copy.jsonl', 'sess export 3b1f --format codex --to-agent'],
  resume: ['sess resume 3b1f'],
  migrate: [`sess migrate ${PI} --to v4 --out four.jsonl`, `sess migrate ${PI} --to v3 --in-place`],
  browse: ['sess browse 3b1f'],
  pick: ['sess pick tides'],
  swarm: [
    "sess swarm new faster 'Make it faster'",
    'sess swarm new tides --session 3b1f',
    "sess swarm branch tides by-moon 'By the moon'",
    'sess swarm add tides other c7d0',
    'sess swarm switch tides by-moon',
    'sess swarm compare tides',
    'sess swarm show tides',
    'sess swarm list',
    'sess swarm remove tides other',
  ],
  serve: ['sess serve'],
  ls: ['sess ls'],
  read: ['sess read 3b1f', 'sess read 019d4e07 --tools --meta'],
  log: [
    'sess log 3b1f',
    'sess log 019d4e07',
    'sess log 3b1f --all',
    'sess log c7d0..3b1f',
    "sess log --everywhere -r 'role(user) | failed()'",
    'sess log 3b1f --all --graph',
  ],
  formats: ['sess formats', 'sess formats claude-code'],
  tree: ['sess tree 3b1f', 'sess tree --everywhere --filter all'],
  show: ['sess show 3b1f 019d4e07~2 019d4482~3', 'sess show 3b1f~4'],
  diff: [
    'sess diff 3b1f c7d0',
    'sess diff 3b1f 019d4e07',
    'sess diff 3b1f...c7d0 --stat',
    'sess diff 019d4e07~3 019d4e07 --context',
  ],
  compare: [
    'sess compare 3b1f/at-1d9fca05 3b1f~6',
    'sess compare 3b1f 019d4e07 3b1f~6',
    'sess compare 3b1f c7d0 --whole --metric duration',
  ],
  search: ['sess search harbours', 'sess search hour', 'sess search tool:bash', 'sess search table --count'],
  context: [
    'sess context 3b1f',
    'sess context 019d4e07',
    'sess context 019d4482',
    'sess context 019d4e07 --format pi',
    'sess context 019d4e07 --format anthropic',
    'sess context 3b1f --budget 50',
    'sess context --compare 3b1f~2 3b1f',
  ],
  append: [
    ['sess append 3b1f --role user', 'And now?'],
    ['sess append --new', LINE],
  ],
  fork: ['sess fork 3b1f --title Again'],
  branch: [
    'sess branch 3b1f -v',
    'sess branch 3b1f',
    'sess branch 3b1f try 3b1f~2',
    'sess branch 3b1f -m try other',
    'sess branch 3b1f -d other',
  ],
  switch: ['sess switch 3b1f/at-1d9fca05', 'sess switch 3b1f~2 --session 3b1f', 'sess switch 3b1f/main'],
  label: [
    'sess label good 3b1f~2',
    'sess label good 3b1f~4 -f',
    'sess label --all',
    'sess label -d good --session 3b1f',
  ],
  rename: ['sess rename 3b1f Tides', "sess rename 3b1f ''"],
  set: ['sess set 3b1f status=done of=tides', 'sess set 3b1f status=', 'sess set 3b1f'],
  mv: ['sess mv /home/ada/tides /home/ada/src'],
  mcp: ['sess mcp --write'],
  watch: ['sess watch sessions --store fresh'],
  rm: ['sess rm 3b1f c7d0'],
  'cherry-pick': [
    'sess cherry-pick --session 3b1f at-1d9fca05~1',
    'sess cherry-pick --session 3b1f 019d4e07~3',
  ],
  edit: [
    'sess edit 3b1f~4 --print-plan',
    ['sess edit 3b1f~4 --plan -', 'pick 98c5e71a\n'],
    ['sess edit 3b1f --plan -', ''],
  ],
  merge: ['sess merge --session 3b1f at-1d9fca05 --no-ff', 'sess merge --session 3b1f at-1d9fca05'],
  rebase: ['sess rebase --session 3b1f main at-1d9fca05', 'sess rebase --session 3b1f main at-1d9fca05'],
  undo: ['sess undo'],
  redo: ['sess undo', 'sess redo'],
  navigate: ['sess navigate 3b1f~3', 'sess navigate --root --session 3b1f'],
  pop: ['sess pop 3b1f', 'sess pop --root --session 3b1f'],
  op: [
    'sess op log',
    'sess op show 1',
    'sess op restore 0',
    'sess op restore 1',
    'sess op log',
    'sess op show 3',
  ],
  reflog: ['sess reflog 3b1f', 'sess reflog 3b1f/at-1d9fca05'],
  scan: ['sess scan', 'sess scan 3b1f'],
  redact: ['sess redact 3b1f'],
  expunge: ["sess expunge --yes 3b1f~2 --why 'no reason'"],
  stats: ['sess stats'],
  fsck: ['sess fsck', 'sess fsck --context', 'sess fsck --repair'],
  backup: ['sess backup copy', 'sess backup --verify copy'],
  gc: ['sess gc -n', 'sess gc --operations now --grace now'],
  config: ['sess config', 'sess config color', 'sess config color always', 'sess config --unset color'],
  'rev-parse': ['sess rev-parse 3b1f c7d0', 'sess rev-parse --short 3b1f'],
  'rev-list': ['sess rev-list 3b1f', 'sess rev-list 3b1f --parents', 'sess rev-list --all --count'],
  'merge-base': ['sess merge-base 3b1f c7d0'],
  'hash-object': [['sess hash-object', LINE]],
  'cat-file': ['sess cat-file 019d4e07~2', ['sess cat-file --batch', '019d4e07~2\n3b1f\nnothing\n019d\n']],
  'for-each-ref': ['sess for-each-ref'],
  'update-ref': [`sess update-ref ${MAIN} 019d4e07~1`, `sess update-ref -d ${MAIN.replace('main', 'gone')}`],
  'ls-objects': ['sess ls-objects', 'sess ls-objects --size'],
  setup: [
    'sess setup pi claude-code --statusline -n',
    'sess setup pi claude-code --statusline',
    'sess setup --check',
    'sess setup --service',
    'sess setup --service --uninstall',
    'sess setup --uninstall',
  ],
  run: ['sess run pi --prompt hi -n', 'sess run pi -- --model m', 'sess run pi -p --prompt hi --no-session'],
  hook: [['sess hook claude-code', '{"transcript_path":"/nowhere.jsonl"}'], 'sess hook --settle -n'],
  statusline: [['sess statusline', '{"session_id":"3b1f"}']],
  completion: ['sess completion words log 3b', 'sess completion words import s'],
  help: ['sess help', 'sess help log', 'sess help revisions'],
}

/** Commands that fail, in each a different way. */
const FAILURES: readonly Run[] = [
  'sess log nothing',
  'sess branch 019d4',
  'sess lgo',
  'sess log -n few 3b1f',
  'sess import nowhere',
  `sess update-ref ${MAIN} 019d4e07 3b1f`,
  ['sess append 3b1f', 'no JSON'],
  'sess --store none ls',
]

/** The lines that are typed before, so that there is something to report. */
const BEFORE: Readonly<Record<string, Run>> = {
  resume: 'sess export 3b1f --format codex --to-agent',
  scan: ['sess append 3b1f --role user', GITHUB],
}

/** The exit codes of commands that found something. */
const FOUND: Readonly<Record<string, number>> = { scan: 1 }

/** A browser in which something is chosen at once, and a server without a port. */
const interfaces: Interfaces = {
  browse: () => Promise.resolve({ code: 0, output: 'chosen' }),
  mcp: () => Promise.resolve(),
  serve: () =>
    Promise.resolve({
      url: 'http://127.0.0.1:4600',
      token: 'secret',
      others: [],
      close: () => Promise.resolve(),
    }),
}

const settingOf = (run: Run): Setting => ({
  ...(/^sess (?:browse|pick|mcp)/.test(lineOf(run)) && { interfaces, terminal: true }),
  ...(lineOf(run).startsWith('sess serve') && { interfaces }),
  ...(lineOf(run).startsWith('sess run') && { edit: () => Promise.resolve(0) }),
  ...(typeof run !== 'string' && { stdin: [run[1]] }),
})
const lineOf = (run: Run): string => (typeof run === 'string' ? run : run[0])
const values = (lines: string): Json[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json)

async function schemaOf(shell: Shell, name: string): Promise<Json> {
  const { stdout } = await shell.run(`sess help json ${name}`)
  return JSON.parse(stdout) as Json
}

it('has a schema for every command, and a command for every schema', async () => {
  const shell = new Shell({ samples: false })
  const { commands } = await listedByHelp(shell)
  const { stdout } = await shell.run('sess help json')
  const described = [...stdout.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name = '']) => name)
  expect(described.toSorted()).toEqual([...commands, 'error'].toSorted())
  expect(Object.keys(RUNS).toSorted()).toEqual(commands.toSorted())
})

const WRITERS = await Promise.all(
  COMMANDS.map(async ({ load }) => {
    const command = await load()
    const all = [command, ...command.commands]
    return all.some(({ effect, endless }) => effect !== 'read' && !endless) ? command.name : undefined
  }),
)

/** The command whose output is the messages of a protocol alone. */
const SILENT = 'mcp'

/** Runs commands of one name; returns what is not as its schema says. */
async function undescribed(shell: Shell, name: string, runs: readonly Run[]): Promise<unknown[]> {
  const schema = await schemaOf(shell, name)
  const failed: unknown[] = []
  let seen = 0
  for (const run of runs) {
    const { stdout, code, transcript } = await shell.run(`${lineOf(run)} --json`, settingOf(run))
    if (code !== (FOUND[name] ?? 0)) failed.push(transcript)
    for (const value of values(stdout)) {
      const found = violations(schema, value)
      if (found.length > 0) failed.push({ value, found })
      seen++
    }
  }
  return seen === 0 && name !== SILENT ? [...failed, `${name} prints nothing`] : failed
}

/** The commands that run until they are stopped. */
const ENDLESS: ReadonlySet<string> = new Set(['serve', 'watch'])

const isReader = (name: string): boolean =>
  !WRITERS.includes(name) && BEFORE[name] === undefined && !ENDLESS.has(name)

it('prints of each command that only reads what its schema says', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const failed: unknown[] = []
  for (const [name, runs] of Object.entries(RUNS).filter(([one]) => isReader(one)))
    failed.push(...(await undescribed(shell, name, runs)))
  expect(failed).toEqual([])
})

it('prints of each command that writes what its schema says', { timeout: 300_000 }, async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const restore = shell.snapshot()
  const failed: unknown[] = []
  for (const [name, runs] of Object.entries(RUNS).filter(([one]) => !isReader(one) && !ENDLESS.has(one))) {
    restore()
    const before = BEFORE[name]
    if (before !== undefined) await shell.run(lineOf(before), settingOf(before))
    for (const found of await undescribed(shell, name, runs)) failed.push([name, found])
  }
  expect(failed).toEqual([])
})

it.each(Object.entries(RUNS).filter(([name]) => ENDLESS.has(name)))(
  'prints of %s, until it is stopped, what its schema says',
  async (name, runs) => {
    const shell = new Shell({ stopAt: /^\{"(?:time|url)".*\n/m })
    await shell.run('sess import sessions')
    expect(await undescribed(shell, name, runs)).toEqual([])
  },
)

it('prints errors as their schema says', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const schema = await schemaOf(shell, 'error')
  for (const run of FAILURES) {
    const { stderr, code } = await shell.run(`${lineOf(run)} --json`, settingOf(run))
    expect([lineOf(run), code > 0]).toEqual([lineOf(run), true])
    const last = values(stderr).at(-1) ?? null
    expect([last, violations(schema, last)]).toEqual([last, []])
  }
})

it('says which schemas there are', async () => {
  const shell = new Shell({ samples: false })
  expect(
    [
      await shell.type('sess help json merge-base'),
      await shell.type('sess help json merge-base --json'),
      await shell.type('sess help json mergebase'),
      await shell.type('sess help log json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess help json merge-base
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "sess merge-base --json",
      "description": "One object; nothing if there is none.",
      "type": "object",
      "properties": {
        "oid": {
          "type": "string",
          "pattern": "^[0-9a-f]{64}$"
        }
      },
      "required": [
        "oid"
      ],
      "additionalProperties": false
    }
    $ sess help json merge-base --json
    {"$schema":"https://json-schema.org/draft/2020-12/schema","title":"sess merge-base --json","description":"One object; nothing if there is none.","type":"object","properties":{"oid":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"required":["oid"],"additionalProperties":false}
    $ sess help json mergebase
    ! sess: there is no command 'mergebase'
    ! hint: did you mean 'merge-base' or 'rebase'? type 'sess help json' to see them
    exit 2
    $ sess help log json
    ! sess: help on 'log' takes no such second word
    ! hint: type 'sess help log' alone, or 'sess help json COMMAND' for the JSON Schema of what a command prints
    exit 2
    "
  `)
})

it('finds what a schema does not allow', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: ['integer', 'null'], minimum: 1 }, b: { enum: ['x'] } },
    required: ['a'],
    additionalProperties: false,
  }
  expect(violations(schema, { a: 1, b: 'x' })).toEqual([])
  expect(violations(schema, { a: null })).toEqual([])
  expect(violations(schema, { a: 0, b: 'y', c: 1 })).toEqual([
    'a: is less than 1',
    'b: is none of x',
    'has a property c',
  ])
  expect(violations(schema, { a: 'one' })).toEqual(['a: is no integer or null'])
  expect(violations(schema, {})).toEqual(['lacks a'])
  expect(violations(schema, [])).toEqual(['is no object'])
  expect(violations({ items: { type: 'string', pattern: '^a' } }, ['a', 'b', 1])).toEqual([
    '1: does not match ^a',
    '2: is no string',
  ])
  expect(violations({ anyOf: [schema, { type: 'string' }] }, {})).toEqual([
    'fits none of 2: lacks a; is no string',
  ])
  expect(violations({ additionalProperties: { type: 'boolean' } }, { a: 1 })).toEqual(['a: is no boolean'])
  expect(() => violations({ maxLength: 3 }, 'x')).toThrow("'maxLength' is not known")
})

/** Runs of commands that write nothing themselves, and so take no -n. */
const READS = /^sess (?:op log|op show|undo$)/

it('marks each object that is printed in a dry run, and writes nothing', async () => {
  const shell = new Shell()
  for (const line of ['sess import sessions', 'sess rename 3b1f Tides']) await shell.run(line)
  const restore = shell.snapshot()
  for (const [name, runs] of Object.entries(RUNS).filter(([one]) => WRITERS.includes(one))) {
    const before = name === 'redo' ? 'sess undo' : BEFORE[name]
    if (before !== undefined) await shell.run(lineOf(before), settingOf(before))
    const operations = (await shell.run('sess op log')).stdout
    const schema = await schemaOf(shell, name)
    const failed: unknown[] = []
    for (const run of runs.filter((one) => !READS.test(lineOf(one)) || name === 'undo')) {
      const { stdout, transcript } = await shell.run(`${lineOf(run)} -n --json`, settingOf(run))
      for (const value of values(stdout)) {
        const found = violations(schema, value)
        if (!isObject(value) || value.dryRun !== true || found.length > 0) failed.push({ transcript, found })
      }
    }
    expect([name, failed]).toEqual([name, []])
    expect((await shell.run('sess op log')).stdout).toBe(operations)
    if (before !== undefined) restore()
  }
})
