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
    ! sess: option '--format <format>' argument 'txet' is invalid. Allowed choices are text, json, pi, anthropic, openai, openai-chat
    ! hint: did you mean 'text'? type 'sess help context' to see how it is used
    exit 2
    "
  `)
})
