import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { endpointsOf } from '../../src/rest/endpoints.ts'
import { ROUTES } from '../../src/rest/routes.ts'
import { newFolder } from '../support/folder.ts'

const path = fileURLToPath(new URL('../../docs/serve.md', import.meta.url))
const bin = fileURLToPath(new URL('../../bin/sess.js', import.meta.url))

const HEAD = '| method | path | verb | does |\n|---|---|---|---|\n'

it('docs/serve.md lists every route', async () => {
  const signal = new AbortController().signal
  const endpoints = await endpointsOf({ version: '', store: '', write: true, signal })
  const rows = endpoints.map(({ method, path: route, summary }) => {
    const verb = ROUTES.find((one) => one.method === method && one.path === route)?.verb
    return `| ${method} | \`/api${route}\` | ${verb === undefined ? '' : `\`${verb}\``} | ${summary} |\n`
  })
  const [before = ''] = readFileSync(path, 'utf8').split(HEAD)
  await expect(`${before}${HEAD}${rows.join('')}`).toMatchFileSnapshot(path)
})

it('docs/serve.md has a program that prints what it says', async () => {
  const [, program = '', output] =
    /```js\n([^]*?)```\n\n```text\n([^]*?)```/.exec(readFileSync(path, 'utf8')) ?? []
  const folder = newFolder()
  writeFileSync(join(folder, 'program.mjs'), program)
  writeFileSync(join(folder, 'sess'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  chmodSync(join(folder, 'sess'), 0o700)
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder },
  })
  expect(stdout).toBe(output)
})
