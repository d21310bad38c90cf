import { describe, expect, it } from 'vitest'
import { WRITABLE, writableNamed } from '../../src/formats/writers.ts'
import { sessionFolders } from '../../src/sources/sessionfolders.ts'

const THERE = { id: 'ID', path: '/home/ada/FILE' }
const MACHINE = { home: '/home/ada', variables: {}, cwd: '/home/ada/tides' }

describe('what sessions can be written as', () => {
  it('goes on in an agent that looks somewhere, or says why in none', () => {
    const told = WRITABLE.map(({ name, format, agent, writer }) => {
      if (!agent) return `${name}: ${writer.unresumed}`
      expect([
        writer.unresumed,
        sessionFolders(MACHINE).some((place) => place.agent === format?.name),
      ]).toEqual([...[undefined, true]])
      const take = agent.take ? `${agent.take(THERE).join(' ')}; ` : ''
      return `${name}: ${agent.title}: ${take}${agent.opens?.(THERE) ?? agent.resume(THERE).join(' ')}`
    })
    expect(told).toMatchInlineSnapshot(`
      [
        "sess: sess itself imports it",
        "claude-code: Claude Code: claude --resume ID",
        "codex: Codex: codex resume ID",
        "dash: Dash: open the file in a program on Dash: SessionTree.open("/home/ada/FILE")",
        "rollouts: rollouts: rollouts -s ID",
        "rollouts-folder: rollouts: rollouts -s ID",
        "index-tree: no agent that was released reads this draft",
        "uuid-tree: no agent that was released reads this draft",
        "oh-my-pi: oh-my-pi: omp --resume /home/ada/FILE",
        "pi: pi: pi --session /home/ada/FILE",
        "pi-v1: pi: pi --session /home/ada/FILE",
        "pi-v2: pi: pi --session /home/ada/FILE",
        "pi-v4: pi's command line reads no version 4: '--format pi'",
        "gemini-cli: Gemini CLI: gemini --resume ID",
        "opencode: OpenCode: opencode import /home/ada/FILE; opencode --session ID",
        "opencode-files: OpenCode: opencode --session ID",
        "opencode-database: OpenCode takes sessions from what it exports: '--format opencode'",
        "jsonl: its lines are for programs",
        "markdown: it is a text to read",
        "html: it is a page to read",
      ]
    `)
  })

  it('has a name of its own each', () => {
    for (const format of WRITABLE) expect(writableNamed(format.name)).toBe(format)
  })
})
