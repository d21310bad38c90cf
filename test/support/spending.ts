/** The lines of a session of Claude Code: for each model a prompt and an answer in two records, which repeat its usage. */
export const answers = (sessionId: string, models: readonly string[], from = 0): string[] =>
  models.flatMap((model, i) => {
    const [id, timestamp] = [`${from + i}`, `2026-03-01T10:00:0${i}.000Z`]
    const usage = {
      input_tokens: 10,
      output_tokens: 100,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 2200,
    }
    const message = {
      id: `msg_${id}`,
      role: 'assistant',
      model,
      usage: { ...usage, cache_creation: { ephemeral_1h_input_tokens: 200 } },
    }
    const records = [
      { type: 'user', uuid: `u${id}`, message: { role: 'user', content: `Question ${id}` } },
      {
        type: 'assistant',
        uuid: `a${id}`,
        message: { ...message, content: [{ type: 'text', text: 'One' }] },
      },
      {
        type: 'assistant',
        uuid: `b${id}`,
        message: { ...message, content: [{ type: 'text', text: 'Two' }] },
      },
    ]
    const parents = [from + i === 0 ? null : `b${from > 0 && i === 0 ? 1 : from + i - 1}`, `u${id}`, `a${id}`]
    return records.map(
      (record, n) => `${JSON.stringify({ ...record, parentUuid: parents[n], sessionId, timestamp })}\n`,
    )
  })

/** The lines of a thread of Codex, of which each turn adds 110 tokens to its counter. */
export const thread = (id: string, prompts: readonly string[], before = 0): string[] => {
  const item = (role: string, text: string): object => ({
    ...{ type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
  })
  const records = prompts.flatMap((prompt, i): [string, object][] => {
    const tokens = { input_tokens: 100 * (i + 1), cached_input_tokens: 0, output_tokens: 10 * (i + 1) }
    return [
      ['response_item', item('user', prompt)],
      ['response_item', item('assistant', `Done: ${prompt}`)],
      ['event_msg', { type: 'token_count', info: { total_token_usage: tokens } }],
      ['event_msg', { type: 'token_count', info: { total_token_usage: tokens } }],
    ]
  })
  const day = `2026-03-0${2 + before}T10:00:0`
  const header: [string, object] = ['session_meta', { id, cwd: '/w/reef', timestamp: `${day}0.000Z` }]
  const model: [string, object] = ['turn_context', { cwd: '/w/reef', model: 'gpt-5-codex' }]
  return [header, model, ...records].map(
    ([type, payload], i) => `${JSON.stringify({ timestamp: `${day}${i % 10}.000Z`, type, payload })}\n`,
  )
}
