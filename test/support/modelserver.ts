import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A model on 127.0.0.1 that answers each request with the next of some texts, in the form of the API that is asked. */
export interface ModelServer {
  readonly url: string
  /** The paths that were asked for. */
  readonly asked: readonly string[]
  readonly close: () => Promise<void>
}

/** Starts a model server that has the same answer for everything. */
export async function modelServer(answer: string): Promise<ModelServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    bodyOf(request).then(
      (body) => reply(request.url ?? '', body, response, answer),
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  const text = Buffer.concat(chunks).toString('utf8')
  return (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
}

type Event = readonly [name: string, data: object]

function reply(
  url: string,
  body: Readonly<Record<string, unknown>>,
  response: ServerResponse,
  answer: string,
): void {
  const path = url.split('?')[0] ?? ''
  if (path.endsWith('/v1/messages'))
    return body.stream === true
      ? events(response, anthropicEvents(answer))
      : json(response, anthropicMessage(answer))
  if (path.endsWith('/count_tokens')) return json(response, { input_tokens: 10 })
  if (path.endsWith('/responses')) return events(response, responsesEvents(answer))
  if (path.endsWith('/chat/completions')) return events(response, chatEvents(answer), '[DONE]')
  if (path.endsWith(':streamGenerateContent')) return events(response, [['', geminiAnswer(answer)]])
  if (path.endsWith(':generateContent')) return json(response, geminiAnswer(answer))
  if (path.endsWith(':countTokens')) return json(response, { totalTokens: 10 })
  response.writeHead(404).end()
}

const json = (response: ServerResponse, value: object): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Sends server-sent events, all at once. */
function events(response: ServerResponse, list: readonly Event[], last = ''): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [name, data] of list)
    response.write(`${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
  response.end(last === '' ? '' : `data: ${last}\n\n`)
}

const USAGE = { input_tokens: 10, output_tokens: 5 }

const anthropicMessage = (text: string): object => ({
  id: `msg_${Date.now()}`,
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: text === '' ? [] : [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { ...USAGE, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
})

const anthropicEvents = (text: string): Event[] => [
  ['message_start', { type: 'message_start', message: { ...anthropicMessage(''), stop_reason: null } }],
  [
    'content_block_start',
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  ['content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }],
  ['content_block_stop', { type: 'content_block_stop', index: 0 }],
  [
    'message_delta',
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: USAGE },
  ],
  ['message_stop', { type: 'message_stop' }],
]

function responsesEvents(text: string): Event[] {
  const part = { type: 'output_text', text, annotations: [] }
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] }
  const response = { id: `resp_${Date.now()}`, object: 'response', status: 'in_progress', output: [] }
  const usage = {
    ...USAGE,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  }
  const all: readonly object[] = [
    { type: 'response.created', response },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta: text },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
  ]
  return all.map((event, i) => [(event as { readonly type: string }).type, { ...event, sequence_number: i }])
}

function chatEvents(text: string): Event[] {
  const chunk = (delta: object, finish: string | null): object => ({
    id: 'chat_1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'test',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  return [
    ['', chunk({ role: 'assistant', content: text }, null)],
    ['', { ...chunk({}, 'stop'), usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }],
  ]
}

const geminiAnswer = (text: string): object => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: 'gemini-2.5-flash',
})
