import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { built } from '../support/built.ts'
import { corpusFiles, corpusLines, isContainer, noCorpus, SKIPPED } from '../support/corpus.ts'

/** The formats of an agent, where it has several or the index has another name for it. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  openclaw: ['openclaw', 'clawdbot'],
  cline: ['cline', 'cline-cli', 'cline-session'],
  droid: ['droid', 'droid-settings'],
  qwen: ['qwen-code'],
  kimi: ['kimi', 'kimi-state'],
  grok: ['grok', 'grok-summary'],
  kiro: ['kiro', 'kiro-session'],
}

/** The files that are read as no session of their agent, as what, and why. */
const OTHERS: Readonly<Record<string, readonly [format: string, why: string]>> = {
  'antigravity/agent-sessions/small.md': ['bytes', 'a note that the agent wrote'],
  'claude-code/simonw/sample_session.json': ['claude-web', 'what the web page gives'],
  'claude-code/agent-sessions/subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/subagents/agent-a0ad4f44468bdf20d.meta.json':
    ['json', 'of which type a sub-agent is, beside its session'],
  'copilot-vscode/git-ai/copilot_session_multiline.jsonl': ['jsonl', 'of no agent that is read'],
  'opencode/agent-sessions/storage_v2/migration': ['bytes', 'a number'],
  'opencode/agent-sessions/storage_v2/part/m_assistant_small/002.json': [
    'json',
    'says alone not whose it is',
  ],
  'opencode/agent-sessions/storage_v2/part/m_user_small/001.json': ['json', 'says alone not whose it is'],
}

describe.skipIf(noCorpus)(`the table of real transcripts ${SKIPPED}`, { timeout: 300_000 }, () => {
  it('has every file of the index, as of its own format and byte-exact', () => {
    const script = join(import.meta.dirname, 'table.mjs')
    const corpus = join(import.meta.dirname, '../../../shared/corpus')
    const library = `file://${join(built(), 'index.js')}`
    const output = execFileSync(process.execPath, [script, corpus, library], { encoding: 'utf8' })
    const rows = output
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split('\t'))
    const whole = rows.filter(([file]) => !file?.includes('#'))
    const agents = new Map(
      corpusLines('INDEX.tsv')
        .slice(1)
        .map((line) => line.split('\t'))
        .map(([agent = '', file = '']) => [`${agent}/${file}`, agent]),
    )
    expect(whole.map(([file = '']) => file).toSorted()).toEqual(
      corpusFiles().filter((file) => !isContainer(file)),
    )
    const read = whole.filter(([file]) => agents.has(file ?? ''))
    expect(read.length).toBe([...agents.keys()].filter((file) => !isContainer(file)).length)
    const misread = read.filter(([file = '', format = '']) => {
      const agent = agents.get(file) ?? ''
      return !(OTHERS[file]?.slice(0, 1) ?? FORMATS[agent] ?? [agent]).includes(format)
    })
    expect(misread).toEqual([])
    expect(rows.filter((row) => row.at(-1) !== 'yes')).toEqual([])
    // Sessions in folders and databases: two of each layout of OpenCode's folders, one of its database.
    expect(rows.length - whole.length).toBe(4)
  })
})
