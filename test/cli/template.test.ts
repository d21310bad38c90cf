import { describe, expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

async function tides(): Promise<Shell> {
  const shell = new Shell()
  await shell.run('sess import sessions')
  return shell
}

it('shows what a template says', async () => {
  const shell = await tides()
  const line = (template: string): string => `sess log 019d4e07 -n 3 -T '${template}'`
  expect(
    await shell.type(line('{oid.short} {time.ago} {role}: {text.first|cut 30}\\n')),
  ).toMatchInlineSnapshot(`
    "$ sess log 019d4e07 -n 3 -T '{oid.short} {time.ago} {role}: {text.first|cut 30}\\n'
    d46180147d 2026-04-02 assistant: All three use \`daily\` now. Th…
    dd442d3969 2026-04-02 user: Do the same for all harbours.
    283d4aa753 2026-04-02 : 
    "
  `)
  expect(
    await shell.type(line('{role|or "-"|pad 9}|{ tools | join ", " }|{parents.short}|{parents|count}')),
  ).toMatchInlineSnapshot(`
    "$ sess log 019d4e07 -n 3 -T '{role|or "-"|pad 9}|{ tools | join ", " }|{parents.short}|{parents|count}'
    assistant||dd442d3969|1
    user     ||283d4aa753|1
    -        ||a0209d045e|1
    "
  `)
  expect(
    await shell.type(line('\\{{role|upper}\\}\\t{names|with "(%)"}{time.date} {time|local}')),
  ).toMatchInlineSnapshot(`
    "$ sess log 019d4e07 -n 3 -T '\\{{role|upper}\\}\\t{names|with "(%)"}{time.date} {time|local}'
    {ASSISTANT}	(*main)2026-04-02 2026-04-02 07:31
    {USER}	2026-04-02 2026-04-02 07:31
    {}	2026-04-02 2026-04-02 07:31
    "
  `)
  expect(await shell.type(line('{text|first|json} {parents.json} {model.json}'))).toMatchInlineSnapshot(`
    "$ sess log 019d4e07 -n 3 -T '{text|first|json} {parents.json} {model.json}'
    "All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s." ["dd442d396955043c1ac5075ec5f4057dda8ce6240e65db1782466a355b18e7f7"] "claude-sonnet-4-5"
    "Do the same for all harbours." ["283d4aa753d55b72f4943c8092ff1c4aa70e62840b3b9bc1c1cade3b8c8406d8"] null
    null ["a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71"] null
    "
  `)
  const { stdout } = await shell.run('sess log 019d4e07 -n 3 -T {all.json}')
  expect(stdout).toBe((await shell.run('sess log 019d4e07 -n 3 --json')).stdout)
})

it('shows in formats', async () => {
  const shell = await tides()
  const log = 'sess log 019d4e07 -n 2'
  expect((await shell.run(`${log} --format oneline`)).stdout).toBe((await shell.run(log)).stdout)
  expect((await shell.run(`${log} -T json`)).stdout).toBe((await shell.run(`${log} --json`)).stdout)
  expect((await shell.run('sess show 019d4e07 --format full')).stdout).toBe(
    (await shell.run('sess show 019d4e07')).stdout,
  )
  expect(await shell.type('sess log 019d4e07 -n 1 --format full')).toMatchInlineSnapshot(`
    "$ sess log 019d4e07 -n 1 --format full
    entry    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1
    parent   dd442d3969
    role     assistant  pi/message
    time     2026-04-02 07:31
    session  019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    native   5e1a3f27
    model    claude-sonnet-4-5
    cost     $0.0052
    tokens   1,200 input, 90 output, 800 cache read, 0 cache write

    All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.
    "
  `)
  expect(await shell.type(`${log} --format oid`)).toMatchInlineSnapshot(`
    "$ sess log 019d4e07 -n 2 --format oid
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1
    dd442d396955043c1ac5075ec5f4057dda8ce6240e65db1782466a355b18e7f7
    "
  `)
  expect(
    await shell.type("sess log 3b1f -r 'latest(tool(edit), 2) | latest(role(user))' --format markdown"),
  ).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r 'latest(tool(edit), 2) | latest(role(user))' --format markdown
    ## user, 2026-03-30 09:21

    Add a test for the night when the clocks change.

    ## tool, 2026-03-30 09:06

    \`\`\`
    ← result
      The file /home/ada/tides/src/format.js has been updated.
    \`\`\`

    ## assistant, 2026-03-30 09:06

    \`\`\`
    → Edit
      file_path: /home/ada/tides/src/format.js
      old_string: const OFFSET = 60 // minutes, France

      export const clock = (time) => {
        const local = new Date(time.getTime() + OFFSET * 60_000)
        return local.toISOString().slice(11, 16)
      }
      new_string: export const clock = (time) =>
        new Intl.DateTimeFormat('fr-FR', { timeStyle: 'short', timeZone: 'Europe/Paris' }).format(time)
    \`\`\`
    "
  `)
})

it('shows sessions, and one entry', async () => {
  const shell = await tides()
  expect(
    await shell.type(`sess ls -T '{id|cut 9} {format} {entries} {branches|join ","} {updated.date}'`),
  ).toMatchInlineSnapshot(`
    "$ sess ls -T '{id|cut 9} {format} {entries} {branches|join ","} {updated.date}'
    019d4e07… pi 15 main 2026-04-02
    019d4482… codex 11 main 2026-04-01
    019d3f52… codex 11 main 2026-03-31
    c7d02e95… claude-code 16 main 2026-03-30
    3b1f6a20… claude-code 22 at-1d9fca05,main 2026-03-30
    "
  `)
  expect(await shell.type('sess ls --format id')).toMatchInlineSnapshot(`
    "$ sess ls --format id
    019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    019d4482-11c6-7e90-8f2a-b3d97e610c48
    019d3f52-7a10-7c43-9be1-40f6d2a8c531
    c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e
    3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    "
  `)
  expect((await shell.run('sess ls --format json')).stdout).toBe((await shell.run('sess ls --json')).stdout)
  expect(await shell.type(`sess show 3b1f~2 3b1f~1 -T '{role} {digest|cut 9}'`)).toMatchInlineSnapshot(`
    "$ sess show 3b1f~2 3b1f~1 -T '{role} {digest|cut 9}'
    assistant f6859166…
    tool 479880e8…
    "
  `)
})

it('colours a terminal alone, and lets nothing through that could steer it', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --role user', { stdin: ['\u001b[31mred'] })
  const line = "sess log @ -T '{role.green} {text}\u001b[1m'"
  const { stdout } = await shell.run(line, { terminal: true })
  expect(stdout.replaceAll('\u001b', '^')).toBe('^[32muser^[39m \\x1b[31mred\\x1b[1m\n')
  expect((await shell.run(line)).stdout).toBe('user \\x1b[31mred\\x1b[1m\n')
})

describe('what is wrong with a template', () => {
  it('is shown where it stands', async () => {
    const shell = await tides()
    const lines = [
      'sess log 3b1f -T',
      'sess log 3b1f --format',
      'sess log 3b1f --format onelin',
      'sess log 3b1f -T oneliner',
      "sess log 3b1f -T '{rol}'",
      "sess log 3b1f -T '{role.uper}'",
      "sess log 3b1f -T '{role.ago}'",
      "sess log 3b1f -T '{role|pad}'",
      "sess log 3b1f -T '{role|pad x}'",
      "sess log 3b1f -T 'x {role'",
      "sess log 3b1f -T 'x } y'",
      "sess log 3b1f -T '{role upper}'",
      "sess log 3b1f -T '{}'",
      "sess log 3b1f -T '{constructor}'",
      "sess log 3b1f -T '{role|toString}'",
      'sess log 3b1f -T {oid} --json',
      'sess log 3b1f -T {oid} --format oid',
      'sess ls -T {oid}',
    ]
    const transcripts: string[] = []
    for (const line of lines) transcripts.push(await shell.type(line))
    expect(transcripts.join('\n')).toMatchInlineSnapshot(`
      "$ sess log 3b1f -T
      ! sess: no template was given
      ! hint: formats: oneline, content, full, markdown, oid, json; fields: oid, parents, type, role, time, text, summary, session, native, names, tools, calls, agents, estimated, tokens, cost, model, all; type 'sess help templates' to see what there is
      exit 2

      $ sess log 3b1f --format
      ! sess: no format was named
      ! hint: formats: oneline, content, full, markdown, oid, json; fields: oid, parents, type, role, time, text, summary, session, native, names, tools, calls, agents, estimated, tokens, cost, model, all; type 'sess help templates' to see what there is
      exit 2

      $ sess log 3b1f --format onelin
      ! sess: cannot read the template: 'onelin' is no format
      !   | onelin
      !   | ^^^^^^
      ! hint: did you mean 'oneline'? formats: oneline, content, full, markdown, oid, json; fields: oid, parents, type, role, time, text, summary, session, native, names, tools, calls, agents, estimated, tokens, cost, model, all; type 'sess help templates' to see what there is
      exit 2

      $ sess log 3b1f -T oneliner
      ! sess: cannot read the template: 'oneliner' is no format and has no field
      !   | oneliner
      !   | ^^^^^^^^
      ! hint: did you mean 'oneline'? formats: oneline, content, full, markdown, oid, json; fields: oid, parents, type, role, time, text, summary, session, native, names, tools, calls, agents, estimated, tokens, cost, model, all; type 'sess help templates' to see what there is
      exit 2

      $ sess log 3b1f -T '{rol}'
      ! sess: cannot read the template: 'rol' is no field
      !   | {rol}
      !   |  ^^^
      ! hint: did you mean 'role'? there are oid, parents, type, role, time, text, summary, session, native, names, tools, calls, agents, estimated, tokens, cost, model, all; type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T '{role.uper}'
      ! sess: cannot read the template: 'uper' is no filter
      !   | {role.uper}
      !   |       ^^^^
      ! hint: did you mean 'upper'? there are short, local, date, ago, first, cut, pad, lower, upper, count, join, or, with, json, dim, bold, red, green, yellow, blue, magenta, cyan; type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T '{role.ago}'
      ! sess: cannot read the template: 'ago' takes a time, not a text
      !   | {role.ago}
      !   |       ^^^
      ! hint: type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T '{role|pad}'
      ! sess: cannot read the template: 'pad' takes a number
      !   | {role|pad}
      !   |       ^^^
      ! hint: such as 'pad 60'; type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T '{role|pad x}'
      ! sess: cannot read the template: 'x' is no number
      !   | {role|pad x}
      !   |           ^
      ! hint: type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T 'x {role'
      ! sess: cannot read the template: the brace is never closed
      !   | x {role
      !   |   ^
      ! hint: type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T 'x } y'
      ! sess: cannot read the template: this brace opens or closes nothing
      !   | x } y
      !   |   ^
      ! hint: write '\\{' and '\\}' for braces; type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T '{role upper}'
      ! sess: cannot read the template: here '|', '.' or '}' must stand
      !   | {role upper}
      !   |       ^
      ! hint: type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T '{}'
      ! sess: cannot read the template: here the name of a field must stand
      !   | {}
      !   |  ^
      ! hint: type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T '{constructor}'
      ! sess: cannot read the template: 'constructor' is no field
      !   | {constructor}
      !   |  ^^^^^^^^^^^
      ! hint: there are oid, parents, type, role, time, text, summary, session, native, names, tools, calls, agents, estimated, tokens, cost, model, all; type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T '{role|toString}'
      ! sess: cannot read the template: 'toString' is no filter
      !   | {role|toString}
      !   |       ^^^^^^^^
      ! hint: there are short, local, date, ago, first, cut, pad, lower, upper, count, join, or, with, json, dim, bold, red, green, yellow, blue, magenta, cyan; type 'sess help templates' for the language
      exit 2

      $ sess log 3b1f -T {oid} --json
      ! {"error":{"code":"bad-usage","kind":"usage","message":"--json says already how things are shown","hint":"type 'sess help templates' to see what there is","retryable":false}}
      exit 2

      $ sess log 3b1f -T {oid} --format oid
      ! sess: '--template' and '--format' exclude each other
      ! hint: type 'sess help log' to see how it is used
      exit 2

      $ sess ls -T {oid}
      ! sess: cannot read the template: 'oid' is no field
      !   | {oid}
      !   |  ^^^
      ! hint: did you mean 'id'? there are id, title, prompt, format, cwd, folders, git-branch, git-branches, git-commit, git-repository, pull-requests, model, entries, prompts, calls, tokens, cost, reported, computed, branches, labels, head, created, updated, source, all; type 'sess help templates' for the language
      exit 2
      "
    `)
  })
})
