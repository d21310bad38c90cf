import { describe, expect, it } from 'vitest'
import { type Setting, Shell } from '../support/shell.ts'

const node = process.execPath

/** A program as it is typed behind --summarize: node runs the text. */
const program = (script: string): string => `${node} -e ${JSON.stringify(script)}`

async function imported(): Promise<Shell> {
  const shell = new Shell()
  await shell.run('sess import sessions')
  return shell
}

/** Has a program summarise, and gives what came of it without the path of node. */
async function summarized(shell: Shell, command: string, ...more: string[]): Promise<string> {
  const words = ['compact', '019d3f52', '--keep-tokens', '30', '--summarize', command, ...more]
  const { output, code } = await shell.main(words)
  return `${output.replaceAll(node, 'node')}exit ${code}\n`
}

it('lets a digest, a text or a file stand for the beginning of a path', async () => {
  const shell = await imported()
  const file: Setting = { stdin: ['From a file.\n'] }
  expect(
    [
      await shell.type('sess compact 019d3f52 --keep-tokens 30'),
      await shell.type('sess compact 019d3f52'),
      await shell.type('sess compact 019d3f52~1 --keep-tokens 0 --summary "Use the cache."'),
      await shell.type('sess compact 019d3f52~1 --keep-from 019d3f52~2 --summary-file - --branch b', file),
      await shell.type('sess branch 019d3f52'),
      await shell.type('sess undo'),
      await shell.type('sess compact 019d3f52~1 -n --branch c --keep-tokens 0 --json --summary X'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess compact 019d3f52 --keep-tokens 30
    Compacted 019d3f52-7a10-7c43-9be1-40f6d2a8c531/main: 5eb70cecea -> 4ed9e85cbf, 9 messages summarized, 1 kept
    about 153 tokens before, 113 tokens after
    ! the original: sess context 5eb70cecea
    ! go back with: sess undo
    $ sess compact 019d3f52
    ! sess: there is nothing to compact in '019d3f52-7a10-7c43-9be1-40f6d2a8c531/main' (it ends with a compaction)
    ! hint: compact the entries before it: 'sess compact 019d3f52-7a10-7c43-9be1-40f6d2a8c531/main~1 --branch NAME'
    exit 1
    $ sess compact 019d3f52~1 --keep-tokens 0 --summary "Use the cache."
    Compacted 019d3f52-7a10-7c43-9be1-40f6d2a8c531/compacted (a new branch): 5eb70cecea -> 261edcf074, 10 messages summarized, 0 kept
    about 153 tokens before, 4 tokens after
    ! the original: sess context 5eb70cecea
    ! continue there with: sess switch 019d3f52-7a10-7c43-9be1-40f6d2a8c531/compacted
    $ sess compact 019d3f52~1 --keep-from 019d3f52~2 --summary-file - --branch b
    ! sess: nothing can be kept from '01c3e67454' on (the beginning of an answer, or the call of a tool, would be parted from its end)
    ! hint: keep from an entry before it: --keep-from 78bd3a48b4
    exit 1
    $ sess branch 019d3f52
      compacted  261edcf074
    * main       4ed9e85cbf
    $ sess undo
    Undid operation 3 (2026-05-01 12:03, 3 minutes ago): sess compact 019d3f52~1 --keep-tokens 0 --summary 'Use the cache.'
      - 019d3f52-7a10-7c43-9be1-40f6d2a8c531/compacted  was 261edcf074
        019d3f52-7a10-7c43-9be1-40f6d2a8c531: appended entries  2 records -> 1 record
    ! redo it with: sess redo
    $ sess compact 019d3f52~1 -n --branch c --keep-tokens 0 --json --summary X
    {"session":"019d3f52-7a10-7c43-9be1-40f6d2a8c531","branch":"c","created":true,"oid":"381778924cf17d49135aac7dfcddb522e3354704d0a0a7c084956aeee591fd40","before":"5eb70cecea3820f3ea61331ab3b3f7f8bae841f0b7436c989ff6b4764b5c7c39","firstKept":null,"summarized":10,"kept":0,"tokensBefore":153,"tokensAfter":1,"summary":"X","dryRun":true}
    ! dry run: nothing was written
    "
  `)
  expect(await shell.type('sess context 019d3f52')).toMatchInlineSnapshot(`
    "$ sess context 019d3f52
    2 messages, 113 tokens, model gpt-5.5, thinking medium

    4ed9e85cbf  user  compaction-summary
    ## Goal
    Which harbours does the table know?

    ## What the user asked (1)
    1. Which harbours does the table know?

    ## Commands (1)
    - \`ls data | head\`: ok

    ## Where it stood
    The agent said last:

    > Three: Brest, Cherbourg and Saint-Malo.

    ---

    The turn that goes on below began so:

    ## Goal
    Add Le Havre.

    ## What the user asked (1)
    1. Add Le Havre.

    ## Files changed (1)
    - data/le-havre.json

    5eb70cecea  assistant  kept
    Le Havre is in the table now, with its position from the chart.
    "
  `)
})

describe('--summarize', () => {
  it('gives a program the entries as text, and takes what it prints', async () => {
    const shell = await imported()
    const command = program(
      'let text = "";process.stdin.on("data", (piece) => { text += piece }).on("end", () => console.log(text))',
    )
    expect(await summarized(shell, command, '--json')).toMatchInlineSnapshot(`
      "{"session":"019d3f52-7a10-7c43-9be1-40f6d2a8c531","branch":"main","created":false,"oid":"c5810d94a3a2de18b348b4c0a5cd924212038b7c0c8e7b2971f019bead361c67","before":"5eb70cecea3820f3ea61331ab3b3f7f8bae841f0b7436c989ff6b4764b5c7c39","firstKept":"5eb70cecea3820f3ea61331ab3b3f7f8bae841f0b7436c989ff6b4764b5c7c39","summarized":9,"kept":1,"tokensBefore":153,"tokensAfter":181,"summary":"[User]\\n<environment_context>\\n  <cwd>/home/ada/tides</cwd>\\n  <shell>bash</shell>\\n</environment_context>\\n\\n[User]\\nWhich harbours does the table know?\\n\\n[Thinking]\\nLook into the data folder.\\n\\n[Call of shell_command]\\ncommand: ls data | head\\n\\n[Result]\\nExit code: 0\\nWall time: 0.1 seconds\\nOutput:\\nbrest.json\\ncherbourg.json\\nsaint-malo.json\\n\\n\\n[Assistant]\\nThree: Brest, Cherbourg and Saint-Malo.\\n\\n---\\n\\nThe turn that goes on below began so:\\n\\n[User]\\nAdd Le Havre.\\n\\n[Call of apply_patch]\\n*** Begin Patch\\n*** Add File: data/le-havre.json\\n+{ \\"name\\": \\"Le Havre\\", \\"lat\\": 49.48, \\"lon\\": 0.11 }\\n*** End Patch\\n\\n\\n[Result]\\nSuccess. Updated the following files:\\nA data/le-havre.json"}
      exit 0
      "
    `)
  })

  it('changes nothing where the program fails, says nothing, or is none', async () => {
    const shell = await imported()
    const before = await shell.type('sess rev-parse 019d3f52')
    const failed = [
      await summarized(shell, program('console.error("no key");process.exit(3)')),
      await summarized(shell, program('process.kill(process.pid, "SIGKILL")')),
      await summarized(shell, program(' ')),
      await summarized(shell, program('process.stdout.write(Buffer.from([0xff]))')),
      await summarized(shell, program('for (;;) require("fs").writeSync(1, "x".repeat(9999))')),
      await summarized(shell, 'sess-no-such-program -x'),
      await summarized(shell, "it's"),
      await summarized(shell, ' '),
      await summarized(shell, 'x', '--summary', 'y'),
    ]
    expect(failed.join('')).toMatchInlineSnapshot(`
      "sess: no summary was made: 'node' failed (exit code 3: no key)
      hint: try it on its own; nothing was changed
      exit 1
      sess: no summary was made: 'node' failed (SIGKILL)
      hint: try it on its own; nothing was changed
      exit 1
      sess: no summary was made: 'node' printed none
      hint: nothing was changed; give another with --summary TEXT, or none to have a digest made without a model
      exit 1
      sess: no summary was made: 'node' printed what is no summary (no UTF-8)
      hint: have it print text of at most 1 MB; nothing was changed
      exit 1
      sess: no summary was made: 'node' printed what is no summary (more than 1 MB)
      hint: have it print text of at most 1 MB; nothing was changed
      exit 1
      sess: no summary was made: 'sess-no-such-program' could not be started (spawn sess-no-such-program ENOENT)
      hint: check its name and its path; nothing was changed
      exit 1
      sess: 'it's' is not a command
      hint: close its quotes, and name a program
      exit 2
      sess: ' ' is not a command
      hint: close its quotes, and name a program
      exit 2
      sess: '--summary' and '--summarize' exclude each other
      hint: type 'sess help compact' to see how it is used
      exit 2
      "
    `)
    expect(await shell.type('sess rev-parse 019d3f52')).toBe(before)
  })

  it('ends a program, and what that started, where it takes too long', async () => {
    const shell = await imported()
    const script =
      'const { spawn } = require("child_process");spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "inherit" });process.on("SIGTERM", () => 0)'
    expect(await summarized(shell, program(script), '--summarize-timeout', '0.3')).toMatchInlineSnapshot(`
      "sess: no summary was made: 'node' took longer than 0.3 seconds
      hint: give it longer with --summarize-timeout SECONDS; nothing was changed
      exit 1
      "
    `)
  })

  it('takes a program that does not read its input', async () => {
    const shell = await imported()
    expect(
      await summarized(shell, program('process.stdin.destroy();console.log("Short.")'), '--json'),
    ).toContain('"summary":"Short.\\n\\n---\\n\\nThe turn')
  })
})

it('says where a summary cannot come from', async () => {
  const shell = await imported()
  expect(
    [
      await shell.type('sess compact 019d3f52 --keep-tokens 0 --summary-file nothing.md'),
      await shell.type('sess compact 019d3f52 --keep-tokens 0 --summary-file -', { stdin: [' \n'] }),
      await shell.type('sess compact 019d3f52 --keep-tokens 0 --summary-file -', {
        stdin: [Buffer.from([0xff])],
      }),
      await shell.type('sess compact 019d3f52 --keep-from 3b1f --summary x'),
      await shell.type('sess compact 019d3f52 --keep-tokens many'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess compact 019d3f52 --keep-tokens 0 --summary-file nothing.md
    ! sess: no summary was made: 'nothing.md' could not be read (ENOENT: no such file or directory, open '/home/ada/nothing.md')
    ! hint: nothing was changed; give another with --summary TEXT, or none to have a digest made without a model
    exit 1
    $ sess compact 019d3f52 --keep-tokens 0 --summary-file -
    ! sess: no summary was made: it is empty
    ! hint: nothing was changed; give another with --summary TEXT, or none to have a digest made without a model
    exit 1
    $ sess compact 019d3f52 --keep-tokens 0 --summary-file -
    ! sess: no summary was made: standard input holds no UTF-8
    ! hint: nothing was changed; give another with --summary TEXT, or none to have a digest made without a model
    exit 1
    $ sess compact 019d3f52 --keep-from 3b1f --summary x
    ! sess: nothing can be kept from '98c5e71acd' on (it is not on the path that is compacted)
    ! hint: type 'sess context SESSION' to see the entries that can be named
    exit 1
    $ sess compact 019d3f52 --keep-tokens many
    ! sess: '--keep-tokens' takes a whole number, not 'many'
    ! hint: type 'sess help compact' to see how it is used
    exit 2
    "
  `)
})
