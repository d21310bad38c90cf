import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('shows what the model sees after a compaction', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess context 019d4e07')).toMatchInlineSnapshot(`
    "$ sess context 019d4e07
    4 messages, 68 tokens, model claude-sonnet-4-5, thinking medium

    283d4aa753  user  compaction-summary
    The forecast for Brest took 3.9 s because harmonics were computed every minute. They are computed once a day now: 0.2 s.

    a0209d045e  assistant  kept
    0.2 s now. The heights differ by less than a millimetre.

    dd442d3969  user
    Do the same for all harbours.

    d46180147d  assistant
    All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.
    "
  `)
})

it('gives it as JSON and as pi does', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const json = await shell.run('sess context 019d4e07 --json')
  expect(JSON.parse(json.stdout)).toMatchInlineSnapshot(`
    {
      "left": [],
      "messages": [
        {
          "blocks": [
            {
              "kind": "text",
              "text": "The forecast for Brest took 3.9 s because harmonics were computed every minute. They are computed once a day now: 0.2 s.",
            },
          ],
          "oid": "283d4aa753d55b72f4943c8092ff1c4aa70e62840b3b9bc1c1cade3b8c8406d8",
          "part": "compaction-summary",
          "role": "user",
        },
        {
          "blocks": [
            {
              "kind": "text",
              "text": "0.2 s now. The heights differ by less than a millimetre.",
            },
          ],
          "oid": "a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71",
          "part": "kept",
          "role": "assistant",
        },
        {
          "blocks": [
            {
              "kind": "text",
              "text": "Do the same for all harbours.",
            },
          ],
          "oid": "dd442d396955043c1ac5075ec5f4057dda8ce6240e65db1782466a355b18e7f7",
          "part": "message",
          "role": "user",
        },
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
      "model": {
        "id": "claude-sonnet-4-5",
        "provider": "anthropic",
      },
      "repairs": [],
      "thinking": "medium",
      "tokens": 68,
    }
  `)
  expect((await shell.run('sess context 019d4e07 --format json')).stdout).toBe(json.stdout)
  const pi = JSON.parse((await shell.run('sess context 019d4e07 --format pi --json')).stdout) as object
  expect(pi).toMatchInlineSnapshot(`
    {
      "messages": [
        {
          "role": "compactionSummary",
          "summary": "The forecast for Brest took 3.9 s because harmonics were computed every minute. They are computed once a day now: 0.2 s.",
          "timestamp": 1775115060000,
          "tokensBefore": 24110,
        },
        {
          "api": "anthropic-messages",
          "content": [
            {
              "text": "0.2 s now. The heights differ by less than a millimetre.",
              "type": "text",
            },
          ],
          "model": "claude-sonnet-4-5",
          "provider": "anthropic",
          "role": "assistant",
          "stopReason": "stop",
          "timestamp": 1775115052000,
          "usage": {
            "cacheRead": 800,
            "cacheWrite": 0,
            "cost": {
              "cacheRead": 0.00024,
              "cacheWrite": 0,
              "input": 0.0036,
              "output": 0.00135,
              "total": 0.00519,
            },
            "input": 1200,
            "output": 90,
            "totalTokens": 2090,
          },
        },
        {
          "content": [
            {
              "text": "Do the same for all harbours.",
              "type": "text",
            },
          ],
          "role": "user",
          "timestamp": 1775115064000,
        },
        {
          "api": "anthropic-messages",
          "content": [
            {
              "text": "All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.",
              "type": "text",
            },
          ],
          "model": "claude-sonnet-4-5",
          "provider": "anthropic",
          "role": "assistant",
          "stopReason": "stop",
          "timestamp": 1775115068000,
          "usage": {
            "cacheRead": 800,
            "cacheWrite": 0,
            "cost": {
              "cacheRead": 0.00024,
              "cacheWrite": 0,
              "input": 0.0036,
              "output": 0.00135,
              "total": 0.00519,
            },
            "input": 1200,
            "output": 90,
            "totalTokens": 2090,
          },
        },
      ],
      "model": {
        "modelId": "claude-sonnet-4-5",
        "provider": "anthropic",
      },
      "thinkingLevel": "medium",
    }
  `)
})

it('knows its formats', async () => {
  expect(await new Shell().type('sess context x --format txet')).toMatchInlineSnapshot(`
    "$ sess context x --format txet
    ! sess: '--format' takes text, json, pi, anthropic, openai or openai-chat, not 'txet'
    ! hint: did you mean 'text'? type 'sess help context' to see how it is used
    exit 2
    "
  `)
})

it('writes requests, says on stderr what that took, and with --json as data', async () => {
  const shell = new Shell()
  await shell.run('sess append --new', { stdin: [ASKED] })
  expect(await shell.type('sess context @ --format anthropic')).toMatchInlineSnapshot(`
    "$ sess context @ --format anthropic
    {"messages":[{"role":"user","content":[{"type":"text","text":"Read a.txt"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a_1","name":"read","input":{"path":"a.txt"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a_1","content":[{"type":"text","text":"no result was recorded"}],"is_error":true},{"type":"text","text":"Never mind"}]}]}
    ! sess: 1 tool call without a result closed
    ! sess: 1 id of tool calls replaced
    "
  `)
  expect(await shell.type('sess context @ --format openai')).toMatchInlineSnapshot(`
    "$ sess context @ --format openai
    {"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Read a.txt"}]},{"type":"function_call","call_id":"a_1","name":"read","arguments":"{\\"path\\":\\"a.txt\\"}"},{"type":"function_call_output","call_id":"a_1","output":"no result was recorded"},{"type":"message","role":"user","content":[{"type":"input_text","text":"Never mind"}]}]}
    ! sess: 1 tool call without a result closed
    ! sess: 1 id of tool calls replaced
    "
  `)
  expect(await shell.type('sess context @ --format openai-chat')).toMatchInlineSnapshot(`
    "$ sess context @ --format openai-chat
    {"messages":[{"role":"user","content":"Read a.txt"},{"role":"assistant","content":null,"tool_calls":[{"id":"a_1","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a.txt\\"}"}}]},{"role":"tool","tool_call_id":"a_1","content":"no result was recorded"},{"role":"user","content":"Never mind"}]}
    ! sess: 1 tool call without a result closed
    ! sess: 1 id of tool calls replaced
    "
  `)
  const { request, repairs } = JSON.parse(
    (await shell.run('sess context @ --format anthropic --json')).stdout,
  ) as {
    request: unknown
    repairs: readonly { kind: string; call?: string; as?: string }[]
  }
  expect(JSON.stringify(request)).toBe(
    (await shell.run('sess context @ --format anthropic')).stdout.trimEnd(),
  )
  expect(repairs.map(({ kind, call, as }) => [kind, call, as])).toEqual([
    ['closed-call', 'a/1', undefined],
    ['renamed-call', 'a/1', 'a_1'],
  ])
})

const ASKED = [
  { role: 'user', content: 'Read a.txt' },
  {
    role: 'assistant',
    content: [{ type: 'toolCall', id: 'a/1', name: 'read', arguments: { path: 'a.txt' } }],
  },
  { role: 'user', content: 'Never mind' },
]
  .map((body) => `${JSON.stringify({ type: 'sess/message', body })}\n`)
  .join('')

it('leaves out the oldest until it fits', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess context 019d4e07 --budget 60')).toMatchInlineSnapshot(`
    "$ sess context 019d4e07 --budget 60
    3 messages, 54 tokens, model claude-sonnet-4-5, thinking medium

    283d4aa753  user  compaction-summary
    The forecast for Brest took 3.9 s because harmonics were computed every minute. They are computed once a day now: 0.2 s.

    dd442d3969  user
    Do the same for all harbours.

    d46180147d  assistant
    All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.
    ! sess: 1 part of 14 tokens left out
    "
  `)
  expect(await shell.type('sess context 019d4e07 --budget 9 --format anthropic')).toMatchInlineSnapshot(`
    "$ sess context 019d4e07 --budget 9 --format anthropic
    {"messages":[{"role":"user","content":[{"type":"text","text":"The conversation history before this point was compacted into the following summary:\\n\\n<summary>\\nThe forecast for Brest took 3.9 s because harmonics were computed every minute. They are computed once a day now: 0.2 s.\\n</summary>"},{"type":"text","text":"Do the same for all harbours."}]}]}
    ! sess: 2 parts of 30 tokens left out
    ! sess: 38 tokens: summaries and the last message of the user stay
    "
  `)
})

it('shows how far two contexts are the same', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess context --compare 3b1f~2 3b1f')).toMatchInlineSnapshot(`
    "$ sess context --compare 3b1f~2 3b1f
            messages  bytes  tokens
    shared         3    950     120
    3b1f~2         4  1,161     126
    3b1f           5  1,430     160
    "
  `)
  expect(
    await shell.type('sess context --compare 3b1f~2 3b1f --format openai --json'),
  ).toMatchInlineSnapshot(`
    "$ sess context --compare 3b1f~2 3b1f --format openai --json
    {"shared":{"messages":2,"bytes":739,"tokens":120},"left":{"messages":3,"bytes":763,"tokens":126},"right":{"messages":4,"bytes":981,"tokens":160}}
    "
  `)
})

it('gives it as an older pi did', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const older = await shell.run('sess context 019d4e07 --pi-version 0.73')
  expect(older.stdout).toBe((await shell.run('sess context 019d4e07 --format pi')).stdout)
  expect(await shell.type('sess context 019d4e07 --pi-version 2')).toMatchInlineSnapshot(`
    "$ sess context 019d4e07 --pi-version 2
    ! sess: '--pi-version' takes 1.5 or 0.73, not '2'
    ! hint: type 'sess help context' to see how it is used
    exit 2
    "
  `)
})
