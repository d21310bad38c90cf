import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { commandOf, filesOf, todosIn } from '../../src/model/toolinput.ts'

const files = (name: string, input: Json): string[] =>
  filesOf({ kind: 'toolCall', id: 'c', name, input }).map(({ path, does }) => `${does} ${path}`)

describe('filesOf', () => {
  it('reads the arguments of the tools of many agents', () => {
    expect(files('Read', { file_path: '/a.ts' })).toEqual(['read /a.ts'])
    expect(files('MultiEdit', { file_path: '/a.ts', edits: [] })).toEqual(['change /a.ts'])
    expect(files('NotebookEdit', { notebook_path: 'n.ipynb' })).toEqual(['change n.ipynb'])
    expect(files('read', { path: 'b', limit: 3 })).toEqual(['read b'])
    expect(files('write', { content: 'x', path: 'b' })).toEqual(['change b'])
    expect(files('read_file', { absolute_path: '/c' })).toEqual(['read /c'])
    expect(files('replace', { file_path: 'd' })).toEqual(['change d'])
    expect(files('edit', { filePath: 'e' })).toEqual(['change e'])
    expect(files('str_replace_based_edit_tool', { command: 'create', path: 'f' })).toEqual(['change f'])
    expect(files('str_replace_based_edit_tool', { command: 'view', path: 'f' })).toEqual(['read f'])
    expect(files('write_file', { TargetFile: '"/g"' })).toEqual(['change /g'])
    expect(files('read_many_files', { paths: ['h', 'i'] })).toEqual(['read h', 'read i'])
    expect(files('read_files', { files: [{ path: 'h', start_line: 1 }] })).toEqual(['read h'])
    expect(files('view_image', { path: 'j.png' })).toEqual(['read j.png'])
  })

  it('finds the files of a patch, wherever it stands', () => {
    const patch =
      '*** Begin Patch\n*** Add File: a b.txt\n+x\n*** Update File: c\n*** Move to: d\n*** Delete File: e\n*** End Patch'
    const all = ['change a b.txt', 'change c', 'change d', 'change e']
    expect(files('apply_patch', patch)).toEqual(all)
    expect(files('apply_patch', { input: patch })).toEqual(all)
    expect(files('shell', { command: ['apply_patch', patch] })).toEqual(all)
  })

  it('takes of commands those that only show files, or write what stands below them', () => {
    const run = (command: string): string[] => files('bash', { command })
    expect(run('cat a.txt')).toEqual(['read a.txt'])
    expect(run("cd x && sed -n '1,20p' src/a.ts | head -3")).toEqual(['read src/a.ts'])
    expect(run('head -n 20 a.md; tail -5 "b c.md"')).toEqual(['read a.md'])
    expect(run("cat > notes.md <<'EOF'\ncat a.txt\nEOF")).toEqual(['change notes.md'])
    expect(run('cat a.txt > b.txt')).toEqual([])
    expect(run('cat $(ls) a.txt')).toEqual([])
    expect(run('grep -rn x src/')).toEqual([])
    expect(run('rm a.txt')).toEqual([])
  })

  it('claims nothing of other tools, and of calls that name no file', () => {
    expect(files('bash', { command: 'ls', path: 'x' })).toEqual([])
    expect(files('TodoWrite', { path: 'x' })).toEqual([])
    expect(files('grep', { path: 'src', pattern: 'x' })).toEqual([])
    expect(files('threads', { path: 'x' })).toEqual([])
    expect(files('write', { path: '' })).toEqual([])
    expect(files('write', 7)).toEqual([])
    expect(files('apply_patch', '*** Add File: x')).toEqual([])
  })
})

const command = (name: string, input: Json): string | undefined =>
  commandOf({ kind: 'toolCall', id: 'c', name, input })

it('gives the command line that the tools of many agents run', () => {
  expect(command('Bash', { command: 'npm test', description: 'Run the tests' })).toBe('npm test')
  expect(command('exec_command', { cmd: 'ls', workdir: '/a' })).toBe('ls')
  expect(command('run_shell_command', { command: 'ls -a' })).toBe('ls -a')
  expect(command('run_in_terminal', { command: 'ls -a' })).toBe('ls -a')
  expect(command('local_shell', { command: ['git', 'status'] })).toBe('git status')
  expect(command('shell', { command: ['bash', '-lc', 'cd a && ls'] })).toBe('cd a && ls')
  expect(command('shell', { command: ['/bin/sh', '-c', 'ls'] })).toBe('ls')
  expect(command('shell', { command: ['powershell.exe', '-NoProfile', '-Command', 'dir'] })).toBe('dir')
  expect(command('shell', { command: ['cmd', '/c', 'dir /b'] })).toBe('dir /b')
  expect(command('shell', { command: ['bash', 'run.sh', '-c', 'x'] })).toBe('bash run.sh -c x')
  expect(command('shell', { command: ['bash', '-lc'] })).toBe('bash -lc')
  expect(command('container.exec', { cmd: ['bash', '-lc', 'ls'] })).toBe('ls')
  expect(command('functions.exec_command', { cmd: 'ls' })).toBe('ls')
  expect(command('bash', 'ls')).toBe('ls')
})

it('gives none where a tool runs none, or says none', () => {
  expect(command('Read', { command: 'npm test' })).toBeUndefined()
  expect(command('str_replace_based_edit_tool', { command: 'view' })).toBeUndefined()
  expect(command('Bash', {})).toBeUndefined()
  expect(command('Bash', { command: [] })).toBeUndefined()
  expect(command('Bash', 7)).toBeUndefined()
})

it('gives the lists of what is to do that agents write', () => {
  const todos = [
    { content: 'Read', status: 'completed' },
    { content: 'Write\nmore', status: 'in_progress' },
    { content: 'Test', status: 'pending' },
  ]
  expect(todosIn('TodoWrite', { todos })).toEqual(['- [x] Read', '- [~] Write more', '- [ ] Test'])
  expect(todosIn('update_plan', { plan: [{ step: 'Read', status: 'completed' }] })).toEqual(['- [x] Read'])
  expect(todosIn('TodoWrite', { todos: '1. [completed] Read\n2. [pending] Write\n\n- Test' })).toEqual([
    '- [x] Read',
    '- [ ] Write',
    '- [ ] - Test',
  ])
})

it('gives none of other tools, and an empty list where all is done away with', () => {
  expect(todosIn('Read', { todos: [] })).toBeUndefined()
  expect(todosIn('TodoWrite', { todos: [] })).toEqual([])
  expect(todosIn('TodoWrite', { todos: [7, { status: 'x' }] })).toEqual([])
})
