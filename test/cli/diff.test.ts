import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('shows where a rewound prompt parts from the one before it', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess diff 3b1f/at-1d9fca05 3b1f~6')).toMatchInlineSnapshot(`
    "$ sess diff 3b1f/at-1d9fca05 3b1f~6
    merge base: c237dd026e
    - 3b1f/at-1d9fca05: 4 entries since
    + 3b1f~6: 4 entries since

    -1d9fca050b +65c1f1916d  user
      Fix it [-with-]{+without+} a time zone library, and say [-which-]{+what+} [-one-]{+it costs+}.

    -c29aeb94d4 +83d50de907  assistant
      → Bash                                          | → Edit
        command: npm install luxon                    |   file_path: /home/ada/tides/src/format.js
        description: Install luxon                    |   old_string: const OFFSET = 60 // minutes, Fra
                                                      | nce
                                                      >
                                                      >   export const clock = (time) => {
                                                      >     const local = new Date(time.getTime() + OFF
                                                      > SET * 60_000)
                                                      >     return local.toISOString().slice(11, 16)
                                                      >   }
                                                      >   new_string: export const clock = (time) =>
                                                      >     new Intl.DateTimeFormat('fr-FR', { timeStyl
                                                      > e: 'short', timeZone: 'Europe/Paris' }).format(
                                                      > time)

    -d653b5a988 +cc9b4f9693  tool
      ← result                                          ← result
        added 1 package in 2s                         |   The file /home/ada/tides/src/format.js has be
                                                      | en updated.

    -eeb9681aa7 +250fc9e939  assistant
      - Done with luxon: \`clock\` now converts to Europe/Paris.
      - It adds one package of 4.4 MB.
      + Done with Intl: \`clock\` now converts to Europe/Paris.
      + It adds no package.
        All 12 tests pass.
    "
  `)
})

it('finds the fork point of a resumed copy whose every line was stamped anew', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess diff 019d3f52 019d4482')).toMatchInlineSnapshot(`
    "$ sess diff 019d3f52 019d4482
    merge base: 103e2aebc4
    - 019d3f52: 4 entries since
    + 019d4482: 4 entries since

    -8039ada3bf +d8e23a5a2f  user
      Add Le Havre{+ and Dieppe+}.

    -78bd3a48b4 +6d2ba01ed0  assistant
      … 2 equal lines
        *** Add File: data/le-havre.json                  *** Add File: data/le-havre.json
        +{ "name": "Le Havre", "lat": 49.48, "lon": 0     +{ "name": "Le Havre", "lat": 49.48, "lon": 0
      .11 }                                             .11 }
                                                      >   *** Add File: data/dieppe.json
                                                      >   +{ "name": "Dieppe", "lat": 49.93, "lon": 1.0
                                                      > 8 }
        *** End Patch                                     *** End Patch

    -01c3e67454 +81a1b8b861  tool
      ← result                                          ← result
        Success. Updated the following files:             Success. Updated the following files:
        A data/le-havre.json                              A data/le-havre.json
                                                      >   A data/dieppe.json

    -5eb70cecea +f73c6a39d6  assistant
      Le Havre [-is-]{+and+} {+Dieppe are +}in the table now, with [-its-]{+their+} [-position-]{+positions+} from the chart.
    "
  `)
})

it('shows the same words as the same, and what only one side has', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess fork 019d3f52~4 --title again')
  await shell.run('sess append again', { stdin: ['{"body":{"role":"user","content":"Add Le Havre."}}'] })
  expect(await shell.type('sess diff 019d3f52 again')).toMatchInlineSnapshot(`
    "$ sess diff 019d3f52 again
    merge base: 103e2aebc4
    - 019d3f52: 4 entries since
    + again: 1 entry since

    -8039ada3bf +db4ce69b65  user
      the same: Add Le Havre.

    -78bd3a48b4  assistant
      → apply_patch *** Begin Patch

    -01c3e67454  tool
      ← Success. Updated the following files:

    -5eb70cecea  assistant
      Le Havre is in the table now, with its position from the chart.
    "
  `)
  expect(await shell.type('sess diff again again')).toMatchInlineSnapshot(`
    "$ sess diff again again
    merge base: db4ce69b65
    - again: 0 entries since
    + again: 0 entries since
    "
  `)
  expect(await shell.type('sess diff again 019d4e07~14')).toMatchInlineSnapshot(`
    "$ sess diff again 019d4e07~14
    nothing in common
    - again: 8 entries since
    + 019d4e07~14: 1 entry since

    -86db788ec2  user
      <environment_context>

    -1ee17954aa  codex/turn_context
      model: gpt-5.5  thinking: medium

    -e23dec82af  user
      Which harbours does the table know?

    -90fad792c1  assistant
      (thinking) Look into the data folder.

    -6865aefb6f  assistant
      → shell_command ls data | head

    -32db4b38fb  tool
      ← brest.json

    -103e2aebc4  assistant
      Three: Brest, Cherbourg and Saint-Malo.

    -db4ce69b65  user
      Add Le Havre.

    +0b1a5a0e87  pi/model_change
      model: claude-sonnet-4-5
    "
  `)
})

it('gives scripts the base and both sides in the order of the path', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const { stdout } = await shell.run('sess diff 3b1f~10 3b1f~9 --json')
  expect(JSON.parse(stdout)).toMatchInlineSnapshot(`
    {
      "base": "c237dd026e656c5c505926fb0fdd0f6f5d061467465ec6448f5330bcc7d18a61",
      "left": [],
      "pairs": [
        {
          "left": null,
          "right": "65c1f1916d90a6c1f5bf9bc48b69bec57865bedf19af3d0327a1b63556e37c12",
          "same": false,
        },
      ],
      "right": [
        {
          "native": "4a127836-51ce-41ae-9312-7e65b7bc6bae",
          "oid": "65c1f1916d90a6c1f5bf9bc48b69bec57865bedf19af3d0327a1b63556e37c12",
          "parents": [
            "c237dd026e656c5c505926fb0fdd0f6f5d061467465ec6448f5330bcc7d18a61",
          ],
          "role": "user",
          "session": "3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14",
          "text": "Fix it without a time zone library, and say what it costs.",
          "time": "2026-03-30T09:06:30.918Z",
          "type": "claude/user",
        },
      ],
    }
  `)
})

it('shows what a side says since the fork point, as git has three dots', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess diff 019d3f52...019d4482')).toMatchInlineSnapshot(`
    "$ sess diff 019d3f52...019d4482
    merge base: 103e2aebc4
    - the merge base: 0 entries since
    + 019d4482: 4 entries since

    +d8e23a5a2f  user
      Add Le Havre and Dieppe.

    +6d2ba01ed0  assistant
      → apply_patch *** Begin Patch

    +81a1b8b861  tool
      ← Success. Updated the following files:

    +f73c6a39d6  assistant
      Le Havre and Dieppe are in the table now, with their positions from the chart.
    "
  `)
  const { stdout } = await shell.run('sess diff 019d3f52..019d4482')
  expect(stdout).toBe((await shell.run('sess diff 019d3f52 019d4482')).stdout)
  expect(await shell.type('sess diff 019d3f52')).toMatchInlineSnapshot(`
    "$ sess diff 019d3f52
    ! sess: '019d3f52' alone has nothing to differ from
    ! hint: name two revisions, or a range: A..B, A...B
    exit 2
    "
  `)
})

it('counts what each side says', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess diff 3b1f/at-1d9fca05 3b1f~6 --stat')).toMatchInlineSnapshot(`
    "$ sess diff 3b1f/at-1d9fca05 3b1f~6 --stat
    merge base: c237dd026e
    - 3b1f/at-1d9fca05
    + 3b1f~6

                    count       chars      tokens
    entries      -4    +4  -241  +595  -62   +150
    messages     -4    +4  -241  +595  -62   +150
      user       -1    +1   -51   +58  -13    +15
      assistant  -2    +2  -169  +481  -43   +121
      tool       -1    +1   -21   +56   -6    +14
    → Bash       -1    +0   -86    +0  -23     +0
    → Edit       -0    +1    -0  +445   -0   +112
    "
  `)
  expect(await shell.type('sess diff 3b1f...3b1f/at-1d9fca05 --stat --json')).toMatchInlineSnapshot(`
    "$ sess diff 3b1f...3b1f/at-1d9fca05 --stat --json
    {"base":"c237dd026e656c5c505926fb0fdd0f6f5d061467465ec6448f5330bcc7d18a61","same":0,"entries":{"removed":{"count":0,"chars":0,"tokens":0},"added":{"count":4,"chars":241,"tokens":62}},"messages":{"removed":{"count":0,"chars":0,"tokens":0},"added":{"count":4,"chars":241,"tokens":62}},"roles":{"user":{"removed":{"count":0,"chars":0,"tokens":0},"added":{"count":1,"chars":51,"tokens":13}},"assistant":{"removed":{"count":0,"chars":0,"tokens":0},"added":{"count":2,"chars":169,"tokens":43}},"tool":{"removed":{"count":0,"chars":0,"tokens":0},"added":{"count":1,"chars":21,"tokens":6}}},"tools":{"Bash":{"removed":{"count":0,"chars":0,"tokens":0},"added":{"count":1,"chars":86,"tokens":23}}}}
    "
  `)
  expect(await shell.type('sess diff 3b1f 3b1f --stat')).toMatchInlineSnapshot(`
    "$ sess diff 3b1f 3b1f --stat
    merge base: 98c5e71acd
    - 3b1f
    + 3b1f

                 count     chars     tokens
    entries   -0    +0  -0    +0  -0     +0
    messages  -0    +0  -0    +0  -0     +0
    "
  `)
  expect(await shell.type('sess diff 3b1f c7d0 --stat --context')).toMatchInlineSnapshot(`
    "$ sess diff 3b1f c7d0 --stat --context
    ! sess: '--stat' and '--context' exclude each other
    ! hint: type 'sess help diff' to see how it is used
    exit 2
    "
  `)
})

it('shows which messages a compaction takes from the context, and which come', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess diff --context 019d4e07~3 019d4e07')).toMatchInlineSnapshot(`
    "$ sess diff --context 019d4e07~3 019d4e07
    - 019d4e07~3: 10 messages, 130 tokens estimated
    + 019d4e07: 4 messages, 68 tokens estimated
    both begin with the same 0 messages

    -2608754591  user  Why is the forecast for Brest slow?
    -a6a5222043  assistant  (thinking) Measure first.  → bash time node bin/tides.js brest
    -da92c074a5  tool  ← real 0m3.912s
    -819f25dda3  assistant  It takes 3.9 s: the harmonics are computed again for every minute.
    -b6be4a2836  user  Compute them once a day and measure again.
    -6f13a4c27e  assistant  → edit src/harmonics.js const h = harmonics(time) const h = daily(time)
    -dfe9c488d2  tool  ← Successfully replaced text in src/harmonics.js.
    -602e3ec014  assistant  → bash time node bin/tides.js brest
    -ee044e52d9  tool  ← real 0m0.214s
    +283d4aa753  user  compaction-summary  The forecast for Brest took 3.9 s because harmonics were com…
      1 message kept
    +dd442d3969  user  Do the same for all harbours.
    +d46180147d  assistant  All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.
    "
  `)
  expect(
    JSON.parse((await shell.run('sess diff --context 019d4e07~1 019d4e07 --json')).stdout),
  ).toMatchInlineSnapshot(`
    {
      "after": {
        "messages": 4,
        "model": {
          "id": "claude-sonnet-4-5",
          "provider": "anthropic",
        },
        "thinking": "medium",
        "tokens": 68,
      },
      "before": {
        "messages": 3,
        "model": {
          "id": "claude-sonnet-4-5",
          "provider": "anthropic",
        },
        "thinking": "medium",
        "tokens": 52,
      },
      "came": [
        {
          "blocks": [
            {
              "kind": "text",
              "text": "All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.",
            },
          ],
          "oid": "d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1",
          "part": "message",
          "role": "assistant",
        },
      ],
      "changed": [],
      "kept": 3,
      "left": [],
      "prefix": 3,
    }
  `)
  expect(await shell.type('sess diff --context 019d4e07 019d4e07')).toMatchInlineSnapshot(`
    "$ sess diff --context 019d4e07 019d4e07
    - 019d4e07: 4 messages, 68 tokens estimated
    + 019d4e07: 4 messages, 68 tokens estimated
    both begin with the same 4 messages

      4 messages kept
    "
  `)
  expect(await shell.type('sess diff --context 019d4e07')).toMatchInlineSnapshot(`
    "$ sess diff --context 019d4e07
    ! sess: '--context' needs <b>
    ! hint: type 'sess help diff' to see how it is used
    exit 2
    "
  `)
})

it('shows words within texts of several lines where that is asked for', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess diff 3b1f/at-1d9fca05 3b1f~6 --word-diff')).toMatchInlineSnapshot(`
    "$ sess diff 3b1f/at-1d9fca05 3b1f~6 --word-diff
    merge base: c237dd026e
    - 3b1f/at-1d9fca05: 4 entries since
    + 3b1f~6: 4 entries since

    -1d9fca050b +65c1f1916d  user
      Fix it [-with-]{+without+} a time zone library, and say [-which-]{+what+} [-one-]{+it costs+}.

    -c29aeb94d4 +83d50de907  assistant
      → [-Bash-]{+Edit+}
        [-command-]{+file_path+}: [-npm-]{+/home/ada/tides/src/format.js+}
      {+  old_string:+} [-install-]{+const+} [-luxon-]{+OFFSET = 60 // minutes, France+}

        [-description-]{+export const clock = (time) => {+}
      {+    const local = new Date(time.getTime() + OFFSET * 60_000)+}
      {+    return local.toISOString().slice(11, 16)+}
      {+  }+}
      {+  new_string+}: [-Install-]{+export+} [-luxon-]{+const clock = (time) =>+}
      {+    new Intl.DateTimeFormat('fr-FR', { timeStyle: 'short', timeZone: 'Europe/Paris' }).format(time)+}

    -d653b5a988 +cc9b4f9693  tool
      ← result
        [-added-]{+The+} [-1-]{+file+} [-package-]{+/home/ada/tides/src/format.js+} [-in-]{+has+} [-2s-]{+been updated.+}

    -eeb9681aa7 +250fc9e939  assistant
      Done with [-luxon-]{+Intl+}: \`clock\` now converts to Europe/Paris.
      It adds [-one-]{+no+} package[- of 4-].[-4 MB.-]
      All 12 tests pass.
    "
  `)
})

it('stacks calls of tools and results where lines are narrow', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const setting = { variables: { COLUMNS: '80' } }
  expect(await shell.type('sess diff 019d3f52 019d4482', setting)).toMatchInlineSnapshot(`
    "$ sess diff 019d3f52 019d4482
    merge base: 103e2aebc4
    - 019d3f52: 4 entries since
    + 019d4482: 4 entries since

    -8039ada3bf +d8e23a5a2f  user
      Add Le Havre{+ and Dieppe+}.

    -78bd3a48b4 +6d2ba01ed0  assistant
        … 2 equal lines
          *** Add File: data/le-havre.json
          +{ "name": "Le Havre", "lat": 49.48, "lon": 0.11 }
      +   *** Add File: data/dieppe.json
      +   +{ "name": "Dieppe", "lat": 49.93, "lon": 1.08 }
          *** End Patch

    -01c3e67454 +81a1b8b861  tool
        ← result
          Success. Updated the following files:
          A data/le-havre.json
      +   A data/dieppe.json

    -5eb70cecea +f73c6a39d6  assistant
      Le Havre [-is-]{+and+} {+Dieppe are +}in the table now, with [-its-]{+their+} [-position-]{+positions+} from the chart.
    "
  `)
})

it('finds what corresponds in sessions that share no entry', async () => {
  //  one:   a ─ b ─ c ─ d
  //  other: x ─ b ─ c'─ d   the same bodies, another beginning
  const shell = new Shell({ samples: false })
  const said = (...texts: string[]) =>
    texts.map(
      (content, i) => `${JSON.stringify({ body: { role: i % 2 ? 'assistant' : 'user', content } })}\n`,
    )
  await shell.run('sess append --new --title one', {
    stdin: said(
      'Look at the tides.',
      'They are late.',
      'Mend the clock of the town hall.',
      'It is mended.',
      'Thanks.',
    ),
  })
  await shell.run('sess append --new --title other', {
    stdin: said(
      'Hello.',
      'They are late.',
      'Mend the clock of the church.',
      'It is mended.',
      'Thanks.',
      'Bye.',
    ),
  })
  expect(await shell.type('sess diff one other')).toMatchInlineSnapshot(`
    "$ sess diff one other
    nothing in common
    - one: 5 entries since
    + other: 6 entries since

    -f0a6c06475  user
      Look at the tides.

    +0a20671dae  user
      Hello.

    -5203d7a83e +5f57cd1764  assistant
      the same: They are late.

    -cb83b2c0a6 +4814201947  user
      Mend the clock of the [-town hall-]{+church+}.

    -edb1193095 +58738d3918  assistant
      the same: It is mended.

    -33df23fcab +9cca7dde4d  user
      the same: Thanks.

    +f9e615aa1a  assistant
      Bye.
    "
  `)
  const { pairs } = JSON.parse((await shell.run('sess diff one other --json')).stdout) as {
    pairs: { left: string | null; right: string | null; same: boolean }[]
  }
  expect(pairs.map(({ left, right, same }) => [left !== null, right !== null, same])).toEqual([
    [true, false, false],
    [false, true, false],
    [true, true, true],
    [true, true, false],
    [true, true, true],
    [true, true, true],
    [false, true, false],
  ])
  expect(await shell.type('sess diff one other --stat')).toMatchInlineSnapshot(`
    "$ sess diff one other --stat
    nothing in common
    - one
    + other
    3 entries the same on both sides

                    count      chars      tokens
    entries      -2    +3  -50   +39  -13    +11
    messages     -2    +3  -50   +39  -13    +11
      user       -2    +2  -50   +35  -13    +10
      assistant  -0    +1   -0    +4   -0     +1
    "
  `)
})

it('names the branches that share something where the current ones do not', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  const onNew = '{"role":"user","content":"elsewhere"}\n'
  await shell.run('sess switch --root -c apart c7d0')
  await shell.run('sess append c7d0', { stdin: [`{"type":"sess/message","body":${onNew.trim()}}\n`] })
  expect(await shell.type('sess merge-base 3b1f c7d0')).toMatchInlineSnapshot(`
    "$ sess merge-base 3b1f c7d0
    ! other branches share entries up to 250fc9e939: sess merge-base 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/main
    exit 1
    "
  `)
  expect((await shell.run('sess diff 3b1f c7d0 --stat')).stderr).toMatchInlineSnapshot(`
    "other branches share entries up to 250fc9e939: sess diff 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/main
    "
  `)
  expect((await shell.run('sess diff 3b1f c7d0')).stdout).toContain('nothing in common')
})
