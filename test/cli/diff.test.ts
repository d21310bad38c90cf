import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('shows where a rewound prompt parts from the one before it', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess diff 3b1f/at-4aa71938 3b1f~6')).toMatchInlineSnapshot(`
    "$ sess diff 3b1f/at-4aa71938 3b1f~6
    the last in common is 4682a27b86
    - 3b1f/at-4aa71938: 4 entries since
    + 3b1f~6: 4 entries since

    -4aa719389c +61d764c819  user
      Fix it [-with-]{+without+} a time zone library, and say [-which-]{+what+} [-one-]{+it costs+}.

    -f4045b3d69 +fd28d451d3  assistant
      - → Bash
      -   command: npm install luxon
      -   description: Install luxon
      + → Edit
      +   file_path: /home/ada/tides/src/format.js
      +   old_string: const OFFSET = 60 // minutes, France
      +
      +   export const clock = (time) => {
      +     const local = new Date(time.getTime() + OFFSET * 60_000)
      +     return local.toISOString().slice(11, 16)
      +   }
      +   new_string: export const clock = (time) =>
      +     new Intl.DateTimeFormat('fr-FR', { timeStyle: 'short', timeZone: 'Europe/Paris' }).format(time)

    -502c74a15f +fcb29249e9  tool
        ← result
      -   added 1 package in 2s
      +   The file /home/ada/tides/src/format.js has been updated.

    -1b4aafc722 +5cad141afe  assistant
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
    the last in common is 103e2aebc4
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

it('shows the same words as the same, and what only one side has', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess fork 019d3f52~4 --title again')
  await shell.run('sess append again', { stdin: ['{"body":{"role":"user","content":"Add Le Havre."}}'] })
  expect(await shell.type('sess diff 019d3f52 again')).toMatchInlineSnapshot(`
    "$ sess diff 019d3f52 again
    the last in common is 103e2aebc4
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
    the last in common is db4ce69b65
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
      ← Exit code: 0

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
      "base": "4682a27b862b584ffe3f68218e49aedb3a2ab78166b20d862a6a9341d55f4f14",
      "left": [],
      "right": [
        {
          "native": "4a127836-51ce-41ae-9312-7e65b7bc6bae",
          "oid": "61d764c819cb0d1bb75e6c17ef48df9e1ff727971940e9361afeefbe5e0bb4a7",
          "parents": [
            "4682a27b862b584ffe3f68218e49aedb3a2ab78166b20d862a6a9341d55f4f14",
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
