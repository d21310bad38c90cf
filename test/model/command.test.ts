import { expect, it } from 'vitest'
import { commandOf } from '../../src/model/command.ts'
import type { Json } from '../../src/model/json.ts'

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
  expect(command('bash', 'ls')).toBe('ls')
})

it('gives none where a tool runs none, or says none', () => {
  expect(command('Read', { command: 'npm test' })).toBeUndefined()
  expect(command('str_replace_based_edit_tool', { command: 'view' })).toBeUndefined()
  expect(command('Bash', {})).toBeUndefined()
  expect(command('Bash', { command: [] })).toBeUndefined()
  expect(command('Bash', 7)).toBeUndefined()
})
