// The main job on sample sessions: each command as a user would type it, with what it really prints. Works on a
// temporary store and deletes it. Exits with 1 where a file does not come back byte for byte.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'

const here = fileURLToPath(new URL('.', import.meta.url))
const bin = fileURLToPath(new URL('../../bin/sess.js', import.meta.url))
const temp = mkdtempSync(join(tmpdir(), 'sess-demo-'))
const shines = process.stdout.isTTY && !process.env.NO_COLOR
const styled = (style, text) => (shines ? styleText(style, text) : text)

const env = {
  ...process.env,
  PATH: join(temp, 'bin') + delimiter + process.env.PATH,
  HOME: temp,
  XDG_DATA_HOME: join(temp, 'data'),
  SESS_STORE: join(temp, 'store'),
  TZ: 'UTC',
}

/** Says what comes, then runs commands and shows them with their output. */
function step(why, ...commands) {
  console.log(styled('dim', `\n# ${why}`))
  for (const command of commands) {
    console.log(styled('bold', `$ ${command}`))
    const { status, error } = spawnSync(command, { shell: true, cwd: here, env, stdio: 'inherit' })
    if (error) throw error
    if (status !== 0) throw new Error(`'${command}' exited with ${status}`)
  }
}

/** Returns what a command prints. */
function read(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: here, env })
  if (status !== 0) throw new Error(`sess ${args.join(' ')}: ${stderr}`)
  return stdout
}

const rewound = '3b1f6a20'
const copy = 'c7d02e95'
const footer = '"zone in the footer"'
const prompt = '{"body":{"role":"user","content":"Print the name of the time zone below the table."}}'

try {
  mkdirSync(join(temp, 'bin'))
  const shim = join(temp, 'bin/sess')
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  chmodSync(shim, 0o755)

  step(
    'Five files of three agents go in. Two are copies that an agent made of another: that part is shared.',
    'sess import sessions',
  )
  step('What is there, the newest first.', 'sess ls')
  step(
    'What was said in one of them. Tool calls and results stand on the path where they happened.',
    `sess log ${rewound} -n 9`,
  )
  step(
    'Its user once went back and asked again: the first attempt is a branch.',
    `sess branch ${rewound}`,
    `sess diff ${rewound}/at-1d9fca05 ${rewound}~6`,
  )
  step(
    'Its copy has another id on every line, and still the same entries.',
    `sess merge-base ${rewound} ${copy}`,
    `sess log ${rewound}..${copy}`,
  )
  step(
    'A rollout, and what became of it when it was resumed with another prompt.',
    'sess diff 019d3f52 019d4482',
  )
  step(
    'Fork at any entry, which copies nothing, and go on from there.',
    `sess fork ${copy}~4 --title ${footer}`,
    `echo '${prompt}' | sess append ${footer}`,
    `sess log ${footer} -n 3`,
    `sess diff ${copy} ${footer}`,
  )
  step('What the model sees of a session that was compacted.', 'sess context 019d4e07')
  step(
    'A file comes back as it was.',
    `sess export ${rewound} | cmp - sessions/claude/${rewound}-*.jsonl && echo identical`,
  )

  const files = read('import', 'sessions', '--json')
    .toString()
    .trim()
    .split('\n')
    .map(JSON.parse)
    .slice(0, -1)
  const wrong = files.filter(({ path, session, bytes }) => {
    const source = readFileSync(path)
    return bytes !== source.length || !read('export', session).equals(source)
  })
  console.log(
    styled(
      wrong.length === 0 ? 'green' : 'red',
      `${files.length - wrong.length} of ${files.length} files come back byte for byte`,
    ),
  )
  for (const { path } of wrong) console.log(`differs: ${relative(here, path)}`)

  step('A second import of the same files creates nothing.', 'sess import sessions | tail -n 1')
  step('What the store holds, and whether all of it is whole.', 'sess stats', 'sess fsck')
  console.log(styled('dim', '\n# To look at sessions and their trees on this terminal:'))
  console.log(
    styled(
      'bold',
      `SESS_STORE="$(mktemp -d)/store" sh -c 'npx sess import test/demo/sessions && npx sess browse'`,
    ),
  )
  console.log(styled('dim', '\n# And in the browser:'))
  console.log(
    styled(
      'bold',
      `SESS_STORE="$(mktemp -d)/store" sh -c 'npx sess import test/demo/sessions && npx sess serve --open'`,
    ),
  )
  process.exitCode = wrong.length === 0 ? 0 : 1
} catch (error) {
  console.error(`demo: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(temp, { recursive: true, force: true })
}
