import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFolderName } from '../../src/formats/claude-code/projectfolder.ts'
import { Shell } from '../support/shell.ts'
import { answered, asked, claudeLine, claudeLines } from '../support/transcripts.ts'

const ID = 'a9a90000-0000-4000-8000-0000000000a9'

/** Writes a session that moved from a folder to another one where its agent keeps those of the second one. */
function moved(shell: Shell, from: string, to: string): string {
  const path = shell.path('.claude/projects', projectFolderName(to), `${ID}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(
    path,
    [
      ...claudeLines(
        ID,
        { ...asked('u1', null, 'Why does it flicker?'), cwd: from, gitBranch: 'main' },
        { ...answered('a1', 'u1', 'The PWM is 17 Hz.'), cwd: to, gitBranch: 'flicker' },
      ),
      claudeLine(ID, 2, {
        type: 'pr-link',
        cwd: to,
        prNumber: 42,
        prUrl: 'https://github.com/ada/lamp/pull/42',
      }),
    ].join(''),
  )
  return path
}

async function lamp(): Promise<Shell> {
  const shell = new Shell({ samples: false })
  for (const folder of ['lamp', 'tree']) mkdirSync(shell.path(folder))
  moved(shell, shell.path('lamp'), shell.path('tree'))
  await shell.run('sess import .claude')
  return shell
}

const found = async (shell: Shell, command: string, cwd?: string): Promise<string[]> =>
  (await shell.run(`${command} --json`, cwd === undefined ? {} : { cwd })).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { id?: string; session?: string })
    .flatMap(({ id, session }) => id ?? session ?? [])

describe('a session that worked in several folders', () => {
  it('is found under each of them', async () => {
    const shell = await lamp()
    for (const folder of ['lamp', 'tree', '.'])
      expect([folder, await found(shell, `sess ls --cwd ${folder}`)]).toEqual([folder, [ID]])
    expect(await found(shell, 'sess ls --cwd elsewhere')).toEqual([])
    for (const query of ['cwd:./lamp', 'cwd:./tree', 'cwd:lamp', 'flicker cwd:tree'])
      expect([query, new Set(await found(shell, `sess search ${query}`))]).toEqual([query, new Set([ID])])
    expect(await found(shell, 'sess search cwd:./moon')).toEqual([])
    for (const cwd of ['lamp', 'tree']) expect(await found(shell, 'sess show @', cwd)).toEqual([ID])
    expect(await found(shell, 'sess import -n .claude --cwd lamp')).toEqual([ID])
  })

  it('is resumed in the folder in which its agent finds it', async () => {
    const shell = await lamp()
    expect((await shell.run('sess resume a9a9')).output).toBe(`cd /home/ada/tree && claude --resume ${ID}\n`)
    renameSync(
      shell.path('.claude/projects', projectFolderName(shell.path('tree'))),
      shell.path('.claude/projects', projectFolderName(shell.path('lamp'))),
    )
    await shell.run('sess import .claude')
    expect((await shell.run('sess resume a9a9')).output).toBe(`cd /home/ada/lamp && claude --resume ${ID}\n`)
  })

  it('names its folder and how to say where that is, if it does not exist', async () => {
    const shell = new Shell({ samples: false })
    moved(shell, '/old/lamp', '/old/the tree')
    await shell.run('sess import .claude')
    expect(await shell.type('sess resume a9a9')).toMatchInlineSnapshot(`
      "$ sess resume a9a9
      cd '/old/the tree' && claude --resume a9a90000-0000-4000-8000-0000000000a9
      ! the folder '/old/the tree' does not exist; if it moved, say where it is now: sess mv '/old/the tree' NEW
      "
    `)
    expect(JSON.parse((await shell.run('sess resume a9a9 --json')).stdout)).toMatchObject({
      cwd: '/old/the tree',
      cwdExists: false,
    })
  })
})

describe('what a session knows of git', () => {
  it('is a condition of lists, a field of queries and of templates, and shown', async () => {
    const shell = await lamp()
    for (const condition of ['git-branch=main', 'git-branch=flicker', 'pull-request=42', 'pr=ada/lamp#42'])
      expect([condition, await found(shell, `sess ls --where ${condition}`)]).toEqual([condition, [ID]])
    for (const condition of ['git-branch=dev', 'pr=41', 'git-branch!=main'])
      expect([condition, await found(shell, `sess ls --where ${condition}`)]).toEqual([condition, []])
    for (const query of [
      'git-branch:main',
      'git-branch:flicker flicker',
      'pr:42',
      'pr:https://github.com/ada/lamp/pull/42',
    ])
      expect([query, new Set(await found(shell, `sess search ${query}`))]).toEqual([query, new Set([ID])])
    for (const query of ['branch:flicker', 'git-branch:dev', 'pr:4', 'commit:abcd', 'repository:ada/lamp'])
      expect([query, await found(shell, `sess search ${query}`)]).toEqual([query, []])
    const fields =
      '{git-branch} {git-branches|join ","} {git-commit|or "-"} {pull-requests} {folders|join " "}'
    expect((await shell.run(`sess ls -T '${fields}'`)).stdout).toBe(
      'flicker main,flicker - https://github.com/ada/lamp/pull/42 /home/ada/lamp /home/ada/tree\n',
    )
    expect((await shell.run('sess show a9a9')).stdout).toMatch(
      /\ngit +flicker \(before: main\)\npr +https:\/\/github\.com\/ada\/lamp\/pull\/42\n/,
    )
    const [row] = (await shell.run('sess ls --json')).stdout.split('\n')
    expect(JSON.parse(row ?? '')).toMatchObject({
      git: { branch: 'flicker', branches: ['main', 'flicker'], commit: null, commits: [] },
      pullRequests: ['https://github.com/ada/lamp/pull/42'],
    })
  })

  it('is what its source says: its user cannot set it', async () => {
    const shell = await lamp()
    expect(await shell.type('sess set a9a9 git-branch=main')).toMatchInlineSnapshot(`
      "$ sess set a9a9 git-branch=main
      ! sess: 'git-branch' cannot be a name (every session has it already)
      ! hint: choose another key; nothing was set
      exit 1
      "
    `)
  })

  it('does not reach the terminal as it is', async () => {
    const shell = new Shell({ samples: false })
    const record = { ...asked('u1', null), cwd: '/x\u001b[31m', gitBranch: 'm\u001b[2J\nain' }
    writeFileSync(shell.path(`${ID}.jsonl`), claudeLine(ID, 0, record))
    await shell.run(`sess import ${ID}.jsonl`)
    for (const command of ['sess show a9a9', "sess ls -T '{git-branch} {folders}'", 'sess resume a9a9'])
      expect((await shell.run(command)).output).not.toContain('\u001b')
  })
})
