// Makes session files of any size of each format of JSON lines.
import { linesInto, messages, timeOf } from './conversation.mjs'

const hexOf = (n) => (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')
const uuidOf = (n) => `${hexOf(n)}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
const time = (n) => new Date(timeOf(n)).toISOString()

/** The id of the session in each file. */
export const SESSION = uuidOf(2 ** 32 + 1)
const CWD = '/home/ada/tides'

/** Returns a message in parts: its role, its text, its call and the id of the call that it answers. */
function partsOf({ role, content, toolCallId, usage }) {
  const of = (type) => content.find((block) => block.type === type)
  const call = of('toolCall')
  const text = of('text')?.text ?? ''
  return { role, text, thinking: of('thinking')?.thinking, call, answers: toolCallId, usage }
}

/** Returns one of some values by the role of a message: a function each, because most need what only theirs have. */
const byRole = (parts, { user, assistant, result }) => {
  if (parts.role === 'user') return user(parts)
  return parts.role === 'assistant' ? assistant(parts) : result(parts)
}

const claudeTokens = ({ input, output, cacheRead, cacheWrite }) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
})

/** Returns a message in the words of Anthropic's API. */
function claudeMessage(message, n) {
  const { role, content, usage, model, stopReason, toolCallId } = message
  if (role === 'user') return { role, content: content[0].text }
  if (role === 'toolResult')
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: toolCallId, content }] }
  const blocks = content.map(({ type, id, name, arguments: input, ...block }) =>
    type === 'toolCall' ? { type: 'tool_use', id, name, input } : { type, ...block },
  )
  const made = { id: `msg_${hexOf(n)}`, type: 'message', role, model, content: blocks }
  return {
    ...made,
    usage: claudeTokens(usage),
    stop_reason: stopReason === 'stop' ? 'end_turn' : 'tool_use',
  }
}

/** Returns a message in the words of OpenAI's API for chats, as several agents keep it. */
const chatMessage = (message) =>
  byRole(partsOf(message), {
    user: ({ text }) => ({ role: 'user', content: text }),
    assistant: ({ text, call }) => ({
      ...{ role: 'assistant', content: text },
      ...(call && { tool_calls: [chatCall(call)] }),
    }),
    result: ({ text, answers }) => ({ role: 'tool', content: text, tool_call_id: answers, name: 'read' }),
  })

const chatCall = ({ id, name, arguments: input }) => ({
  ...{ id, type: 'function' },
  function: { name, arguments: JSON.stringify(input) },
})

/** Returns a message as pi keeps it, in a record of a tree of ids. */
const treeRecord = (message, n) => ({
  ...{ type: 'message', id: hexOf(n), parentId: n === 0 ? null : hexOf(n - 1), timestamp: time(n), message },
})

const codexItem = (n, payload) => ({ timestamp: time(n), type: 'response_item', payload })
const copilotRecord = (n, type, data) => ({
  ...{ type, data, id: uuidOf(n), timestamp: time(n), parentId: uuidOf(n - 1) },
})
const qwenRecord = (n, type, more) => ({
  ...{ uuid: uuidOf(n), parentUuid: n === 0 ? null : uuidOf(n - 1), sessionId: SESSION, timestamp: time(n) },
  ...{ type, cwd: CWD, version: '0.21.0', ...more },
})
const grokUpdate = (n, update) => ({
  ...{ timestamp: timeOf(n) / 1000, method: 'session/update', params: { sessionId: SESSION, update } },
})
const kimiLoop = (n, event) => ({ type: 'context.append_loop_event', event, time: timeOf(n) })
const dashMessage = (n, role, content, metadata) => ({
  ...{ type: 'message', id: hexOf(n), parentId: n === 0 ? null : hexOf(n - 1), timestamp: time(n) },
  ...{ role, content, ...(metadata && { metadata }) },
})

/** Each format: the first record of a file, its name where that counts, and the records that it has for a message. */
const FORMATS = {
  'claude-code': {
    lines: (message, n) => [
      {
        ...{ parentUuid: n === 0 ? null : uuidOf(n - 1), isSidechain: false, userType: 'external', cwd: CWD },
        ...{
          version: '2.1.37',
          sessionId: SESSION,
          type: message.role === 'assistant' ? 'assistant' : 'user',
        },
        ...{ message: claudeMessage(message, n), uuid: uuidOf(n), timestamp: time(n) },
      },
    ],
  },
  codex: {
    first: {
      ...{ timestamp: time(0), type: 'session_meta' },
      payload: {
        id: SESSION,
        timestamp: time(0),
        cwd: CWD,
        originator: 'codex_cli_rs',
        cli_version: '0.142.5',
      },
    },
    lines: (message, n) =>
      byRole(partsOf(message), {
        user: ({ text }) => [
          codexItem(n, { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
          { timestamp: time(n), type: 'event_msg', payload: { type: 'user_message', message: text } },
        ],
        assistant: ({ text, call, usage }) => [
          call
            ? codexItem(n, {
                ...{ type: 'function_call', name: call.name, call_id: call.id },
                arguments: JSON.stringify(call.arguments),
              })
            : codexItem(n, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
          {
            ...{ timestamp: time(n), type: 'event_msg' },
            payload: {
              type: 'token_count',
              info: { total_token_usage: { input_tokens: usage.input * n, output_tokens: usage.output * n } },
            },
          },
        ],
        result: ({ text, answers }) => [
          codexItem(n, { type: 'function_call_output', call_id: answers, output: text }),
        ],
      }),
  },
  pi: {
    first: { type: 'session', version: 3, id: SESSION, timestamp: time(0), cwd: CWD },
    lines: (message, n) => [treeRecord(message, n)],
  },
  'oh-my-pi': {
    first: { type: 'title', v: 1, title: 'Tides', source: 'auto', updatedAt: time(0), pad: ' '.repeat(150) },
    second: { type: 'session', version: 3, id: SESSION, timestamp: time(0), cwd: CWD },
    lines: (message, n) => [treeRecord(message, n)],
  },
  openclaw: {
    first: { type: 'session', id: 'oc-1', version: 3, timestamp: time(0), cwd: CWD },
    second: {
      ...{ type: 'custom', id: 'a2', parentId: null, customType: 'openclaw.runtime-context' },
      ...{ data: {}, timestamp: time(0) },
    },
    lines: (message, n) => [treeRecord(message, n)],
  },
  'index-tree': {
    first: { type: 'session', id: SESSION, timestamp: time(0), cwd: CWD, parent: -1 },
    lines: (message, n) => [{ type: 'message', parent: n, timestamp: time(n), message }],
  },
  'uuid-tree': {
    first: {
      ...{ type: 'session', version: 2, uuid: 'ses1', parentUuid: null },
      ...{ id: SESSION, timestamp: time(0), cwd: CWD },
    },
    lines: (message, n) => [
      {
        ...{ type: 'message', uuid: uuidOf(n), parentUuid: n === 0 ? 'ses1' : uuidOf(n - 1) },
        ...{ timestamp: time(n), message },
      },
    ],
  },
  dash: {
    first: { type: 'session', version: 1, id: 'sess_0a1b2c3d', timestamp: time(0), cwd: CWD, name: 'Tides' },
    lines: (message, n) =>
      byRole(partsOf(message), {
        user: ({ text }) => [dashMessage(n, 'user', text)],
        assistant: ({ text, call, usage }) => [
          dashMessage(n, 'assistant', call ? JSON.stringify(call) : text, {
            ...{ model: 'kimi-k2.5', provider: 'moonshot', cost: 0.05, tokens: usage.output },
          }),
        ],
        result: ({ text }) => [dashMessage(n, 'tool', text)],
      }),
  },
  rollouts: {
    first: { type: 'session', id: SESSION, timestamp: '2026-03-03T10:00:00.000000', cwd: CWD, model: 'm' },
    lines: ({ role, content, toolCallId, ...message }, n) => [
      {
        ...{ type: 'message', timestamp: time(n).replace('Z', '000') },
        message:
          role === 'toolResult'
            ? { role: 'tool', content: content[0].text, tool_call_id: toolCallId }
            : { role, content, ...(message.model && { model: message.model, usage: message.usage }) },
      },
    ],
  },
  'gemini-cli': {
    first: {
      ...{ sessionId: SESSION, projectHash: 'ab'.repeat(32), startTime: time(0), lastUpdated: time(0) },
      ...{ kind: 'main', directories: [CWD] },
    },
    lines: (message, n) =>
      byRole(partsOf(message), {
        user: ({ text }) => [{ id: uuidOf(n), timestamp: time(n), type: 'user', content: [{ text }] }],
        assistant: ({ text, call, usage }) => [
          {
            ...{ id: uuidOf(n), timestamp: time(n), type: 'gemini', content: text, model: 'gemini-3-pro' },
            ...{ tokens: { input: usage.input, output: usage.output, cached: usage.cacheRead } },
            ...(call && { toolCalls: [{ id: call.id, name: call.name, args: call.arguments }] }),
          },
          { $set: { lastUpdated: time(n) } },
        ],
        result: ({ text }) => [{ id: uuidOf(n), timestamp: time(n), type: 'info', content: text }],
      }),
  },
  'qwen-code': {
    lines: (message, n) =>
      byRole(partsOf(message), {
        user: ({ text }) => [qwenRecord(n, 'user', { message: { role: 'user', parts: [{ text }] } })],
        assistant: ({ text, call, usage }) => [
          qwenRecord(n, 'assistant', {
            ...{
              model: 'coder',
              usageMetadata: { promptTokenCount: usage.input, candidatesTokenCount: usage.output },
            },
            message: {
              role: 'model',
              parts: [
                call ? { functionCall: { id: call.id, name: call.name, args: call.arguments } } : { text },
              ],
            },
          }),
        ],
        result: ({ text, answers }) => [
          qwenRecord(n, 'tool_result', {
            message: {
              role: 'user',
              parts: [{ functionResponse: { id: answers, name: 'read', response: { output: text } } }],
            },
          }),
        ],
      }),
  },
  kimi: {
    name: 'wire.jsonl',
    first: { type: 'metadata', protocol_version: '1.4', created_at: timeOf(0) },
    lines: (message, n) =>
      byRole(partsOf(message), {
        user: ({ text }) => [
          {
            ...{ type: 'context.append_message', time: timeOf(n) },
            message: {
              role: 'user',
              content: [{ type: 'text', text }],
              toolCalls: [],
              origin: { kind: 'user' },
            },
          },
        ],
        assistant: ({ text, call }) => [
          kimiLoop(n, { type: 'step.begin', uuid: uuidOf(n), turnId: '0', step: n }),
          call
            ? kimiLoop(n, { type: 'tool.call', toolCallId: call.id, name: call.name, args: call.arguments })
            : kimiLoop(n, { type: 'content.part', uuid: uuidOf(n), part: { type: 'text', text } }),
        ],
        result: ({ text, answers }) => [
          kimiLoop(n, { type: 'tool.result', toolCallId: answers, result: { output: text } }),
        ],
      }),
  },
  grok: {
    name: 'chat_history.jsonl',
    first: { type: 'system', content: 'You are Grok.' },
    lines: (message, n) =>
      byRole(partsOf(message), {
        user: ({ text }) => [{ type: 'user', content: [{ type: 'text', text }], prompt_index: n }],
        assistant: ({ text, call }) => [
          {
            ...{ type: 'assistant', content: text, model_id: 'grok-4.5' },
            ...(call && {
              tool_calls: [{ id: call.id, name: call.name, arguments: JSON.stringify(call.arguments) }],
            }),
          },
        ],
        result: ({ text, answers }) => [{ type: 'tool_result', tool_call_id: answers, content: text }],
      }),
  },
  'grok-updates': {
    name: 'updates.jsonl',
    lines: (message, n) =>
      byRole(partsOf(message), {
        user: ({ text }) => [
          grokUpdate(n, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } }),
        ],
        assistant: ({ text, call }) =>
          call
            ? [
                grokUpdate(n, {
                  ...{ sessionUpdate: 'tool_call', toolCallId: call.id, title: call.name, kind: 'read' },
                  ...{ status: 'pending', rawInput: call.arguments },
                }),
              ]
            : [text.slice(0, 200), text.slice(200)].map((part) =>
                grokUpdate(n, {
                  sessionUpdate: 'agent_message_chunk',
                  content: { type: 'text', text: part },
                }),
              ),
        result: ({ text, answers }) => [
          grokUpdate(n, {
            ...{ sessionUpdate: 'tool_call_update', toolCallId: answers, status: 'completed' },
            content: [{ type: 'content', content: { type: 'text', text } }],
          }),
        ],
      }),
  },
  kiro: {
    name: 'messages.jsonl',
    lines: (message, n) => {
      const of = (payload) => [{ id: uuidOf(n), timestamp: time(n), payload }]
      return byRole(partsOf(message), {
        user: ({ text }) => of({ type: 'user', content: text, images: [], documents: [] }),
        assistant: ({ text, call }) =>
          call
            ? of({ type: 'tool_call', toolCallId: call.id, toolName: call.name, args: call.arguments })
            : of({ type: 'assistant', content: text, operationType: 'Say', executionId: 'x' }),
        result: ({ text, answers }) =>
          of({ type: 'tool_result', toolCallId: answers, content: text, success: true }),
      })
    },
  },
  vibe: {
    name: 'messages.jsonl',
    lines: (message, n) => [{ ...chatMessage(message), message_id: uuidOf(n), timestamp: time(n) }],
  },
  antigravity: {
    lines: (message, n) => {
      const about = { step_index: n, status: 'DONE', created_at: time(n) }
      return byRole(partsOf(message), {
        user: ({ text }) => [{ ...about, source: 'USER_EXPLICIT', type: 'USER_INPUT', content: text }],
        assistant: ({ text, call }) => [
          {
            ...{ ...about, source: 'MODEL', type: 'PLANNER_RESPONSE', content: text },
            ...(call && { tool_calls: [{ name: call.name, args: call.arguments }] }),
          },
        ],
        result: ({ text }) => [{ ...about, source: 'MODEL', type: 'VIEW_FILE', content: text }],
      })
    },
  },
  windsurf: {
    lines: (message) =>
      byRole(partsOf(message), {
        user: ({ text }) => [{ status: 'done', type: 'user_input', user_input: { user_response: text } }],
        assistant: ({ text, call }) => [
          {
            ...{ planner_response: { response: text || call.name } },
            ...{ status: 'done', type: 'planner_response' },
          },
        ],
        result: ({ text }) => [
          { status: 'done', type: 'view_file', view_file: { content: text, path: 'file:///k' } },
        ],
      }),
  },
  'copilot-cli': {
    first: {
      ...{ type: 'session.start', id: uuidOf(0), timestamp: time(0), parentId: null },
      data: {
        ...{ sessionId: SESSION, version: 1, producer: 'copilot-agent', copilotVersion: '1.0.64' },
        ...{ startTime: time(0), selectedModel: 'gpt-x', context: { cwd: CWD } },
      },
    },
    lines: (message, n) =>
      byRole(partsOf(message), {
        user: ({ text }) => [copilotRecord(n + 1, 'user.message', { content: text, attachments: [] })],
        assistant: ({ text, call, usage }) => [
          copilotRecord(n + 1, 'assistant.message', {
            ...{ messageId: uuidOf(n), model: 'claude-x', content: text, outputTokens: usage.output },
            toolRequests: call ? [{ toolCallId: call.id, name: call.name, arguments: call.arguments }] : [],
          }),
        ],
        result: ({ text, answers }) => [
          copilotRecord(n + 1, 'tool.execution_complete', {
            ...{ toolCallId: answers, success: true, result: { content: text } },
          }),
        ],
      }),
  },
  droid: {
    first: { type: 'session_start', id: SESSION, title: 'Tide tables', owner: 'ada', version: 2, cwd: CWD },
    lines: (message, n) => {
      const { role, content } = claudeMessage(message, n)
      const id = { id: uuidOf(n), parentId: n === 0 ? SESSION : uuidOf(n - 1) }
      return [{ type: 'message', ...id, timestamp: time(n), message: { role, content } }]
    },
  },
  cursor: {
    lines: (message, n) => {
      const { role, content } = claudeMessage(message, n)
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      return [{ role, message: { content: blocks } }]
    },
  },
  clawdbot: {
    lines: (message, n) => {
      const { role, text, call } = partsOf(message)
      const content = text || JSON.stringify(call)
      return [{ role: role === 'user' ? 'user' : 'assistant', content, timestamp: time(n) }]
    },
  },
  sess: {
    lines: ({ role, content, toolCallId, toolName, model, usage }, n) => {
      const body = {
        role,
        content,
        ...(toolCallId && { toolCallId, toolName }),
        ...(model && { model, usage }),
      }
      return [
        {
          oid: hexOf(n).repeat(8),
          parents: n === 0 ? [] : [hexOf(n - 1).repeat(8)],
          type: 'sess/message',
          body,
          time: time(n),
        },
      ]
    },
  },
  jsonl: {
    lines: (message, n) => {
      const { role, text, call } = partsOf(message)
      return [{ speaker: role, words: text || JSON.stringify(call), at: time(n) }]
    },
  },
}

/** The names of the formats. */
export const TRANSCRIPTS = Object.keys(FORMATS)

/** Returns the name that a file of a format has. */
export const transcriptName = (format) => FORMATS[format].name ?? `${SESSION}.jsonl`

/** Returns so many messages that are as short as those of a test. */
export function* shortMessages(count) {
  for (let n = 0; n < count; n++) {
    const usage = { input: n, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: n + 1 }
    const about = { role: 'assistant', api: 'a', provider: 'p', model: 'm', usage, timestamp: timeOf(n) }
    const call = { type: 'toolCall', id: `toolu_1_${n}`, name: 'read', arguments: { path: `${n}` } }
    const text = [{ type: 'text', text: `text ${n}` }]
    if (n % 4 === 0) yield { role: 'user', content: text, timestamp: timeOf(n) }
    else if (n % 4 === 1) yield { ...about, content: [call], stopReason: 'toolUse' }
    else if (n % 4 === 2)
      yield {
        role: 'toolResult',
        toolCallId: `toolu_1_${n - 1}`,
        toolName: 'read',
        content: text,
        isError: false,
      }
    else yield { ...about, content: text, stopReason: 'stop' }
  }
}

/** Returns the records that a format has for some messages. */
export function* transcript(format, conversation) {
  const { first, second, lines } = FORMATS[format]
  if (first) yield first
  if (second) yield second
  let n = 0
  for (const message of conversation) yield* lines(message, n++)
}

/** Writes a session of a format of about so many bytes. */
export function writeTranscript(path, { format, bytes, seed = 1 }) {
  const { put, end } = linesInto(path)
  let written = 0
  for (const record of transcript(format, messages(bytes, seed))) {
    if (written >= bytes) break
    written += put(record)
  }
  return end()
}
