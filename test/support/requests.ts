/** Checks requests as the APIs of models do: each function gives what is wrong, nothing where all is well. */

type Value = Record<string, unknown>

const isObject = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objects = (value: unknown): Value[] => (Array.isArray(value) ? value.filter(isObject) : [])

class Findings {
  readonly found: string[] = []
  readonly #ids = new Set<unknown>()

  no(isWrong: boolean, what: string): void {
    if (isWrong) this.found.push(what)
  }

  /** Checks a text that may not be empty or blank. */
  text(value: unknown, where: string): void {
    this.no(typeof value !== 'string' || value.trim() === '', `${where}: blank text`)
    this.no(typeof value === 'string' && !value.isWellFormed(), `${where}: half a surrogate pair`)
  }

  keys(value: Value, where: string, ...allowed: readonly string[]): void {
    for (const key of Object.keys(value)) this.no(!allowed.includes(key), `${where}: extra '${key}'`)
  }

  call(id: unknown, name: unknown, longest: number, where: string): void {
    this.no(typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id) || id.length > longest, `${where}: bad id`)
    this.no(this.#ids.has(id), `${where}: id twice`)
    this.#ids.add(id)
    this.no(typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name), `${where}: bad name`)
  }

  /** Checks the arguments of a call: an object in a text. */
  args(value: unknown, where: string): void {
    this.no(typeof value !== 'string' || !isObject(JSON.parse(value)), `${where}: arguments are no object`)
  }

  /** Checks that the whole value survives JSON as it is. */
  whole(value: unknown): void {
    const text = JSON.stringify(value)
    this.no(/\\ud[89a-f]/i.test(text.replaceAll('\\\\', '')), 'half a surrogate pair somewhere')
    this.no(JSON.stringify(JSON.parse(text)) !== text, 'no plain JSON')
  }
}

const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
const isBase64 = (value: unknown): boolean =>
  typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value)

/** Returns what the Messages API of Anthropic refuses in `{ system, messages }`. */
function anthropicFindings(request: unknown): string[] {
  const findings = new Findings()
  if (!isObject(request)) return ['no object']
  findings.keys(request, 'request', 'system', 'messages')
  findings.whole(request)
  const { system, messages } = request
  if (system !== undefined) {
    findings.no(objects(system).length === 0, 'system: empty')
    for (const block of objects(system)) {
      findings.no(block.type !== 'text', 'system: no text')
      findings.text(block.text, 'system')
    }
  }
  let before: Value | undefined
  for (const [at, message] of objects(messages).entries()) {
    const where = `messages.${at}`
    findings.keys(message, where, 'role', 'content')
    const role = at % 2 === 0 ? 'user' : 'assistant'
    findings.no(message.role !== role, `${where}: roles do not alternate from the user on`)
    const content = objects(message.content)
    findings.no(content.length === 0, `${where}: empty`)
    const calls = objects(before?.content).filter(({ type }) => type === 'tool_use')
    const results = content.filter(({ type }) => type === 'tool_result')
    const first = content.findIndex(({ type }) => type !== 'tool_result')
    findings.no(first >= 0 && first < results.length, `${where}: results are not first`)
    findings.no(
      calls.map(({ id }) => id).join() !== results.map(({ tool_use_id: id }) => id).join(),
      `${where}: results do not answer the calls before`,
    )
    findings.no(content.at(-1)?.type === 'thinking', `${where}: ends with a thought`)
    findings.no(content.at(-1)?.type === 'redacted_thinking', `${where}: ends with a thought`)
    for (const block of content) anthropicBlock(findings, block, message.role, where)
    before = message
  }
  findings.no(
    objects(before?.content).some(({ type }) => type === 'tool_use'),
    'the last calls are open',
  )
  return findings.found
}

function anthropicBlock(findings: Findings, block: Value, role: unknown, where: string): void {
  const of = (...roles: readonly string[]): void =>
    findings.no(!roles.includes(String(role)), `${where}: ${String(block.type)} of ${String(role)}`)
  switch (block.type) {
    case 'text':
      findings.keys(block, where, 'type', 'text')
      return findings.text(block.text, where)
    case 'thinking':
      of('assistant')
      findings.keys(block, where, 'type', 'thinking', 'signature')
      findings.no(typeof block.thinking !== 'string', `${where}: no thought`)
      return findings.text(block.signature, where)
    case 'redacted_thinking':
      of('assistant')
      return findings.text(block.data, where)
    case 'tool_use':
      of('assistant')
      findings.keys(block, where, 'type', 'id', 'name', 'input')
      findings.call(block.id, block.name, 64, where)
      return findings.no(!isObject(block.input), `${where}: input is no object`)
    case 'tool_result': {
      of('user')
      findings.keys(block, where, 'type', 'tool_use_id', 'content', 'is_error')
      findings.no(block.content !== undefined && !Array.isArray(block.content), `${where}: no list`)
      for (const part of objects(block.content)) {
        findings.no(block.is_error === true && part.type !== 'text', `${where}: an error that is no text`)
        anthropicBlock(findings, part, role, `${where} result`)
      }
      return
    }
    case 'image':
    case 'document': {
      of('user')
      const source = isObject(block.source) ? block.source : {}
      const types = block.type === 'document' ? ['application/pdf'] : PICTURES
      if (source.type === 'url')
        return findings.no(!String(source.url).startsWith('https://'), `${where}: bad url`)
      findings.no(!types.includes(String(source.media_type)), `${where}: type of image`)
      return findings.no(!isBase64(source.data), `${where}: no base64`)
    }
    default:
      findings.no(true, `${where}: unknown block ${String(block.type)}`)
  }
}

const isPicture = (value: unknown): boolean => {
  const [type = '', data] = String(value).split(';base64,')
  return String(value).startsWith('https://') || (PICTURES.includes(type.slice(5)) && isBase64(data))
}

/** Returns what the Responses API of OpenAI refuses in `{ input }`. */
function responsesFindings(request: unknown): string[] {
  const findings = new Findings()
  if (!isObject(request)) return ['no object']
  findings.keys(request, 'request', 'input')
  findings.whole(request)
  const open = new Set<unknown>()
  const input = objects(request.input)
  for (const [at, item] of input.entries()) {
    const where = `input.${at}`
    switch (item.type) {
      case 'message': {
        findings.keys(item, where, 'type', 'role', 'content')
        findings.no(!['user', 'assistant', 'developer'].includes(String(item.role)), `${where}: role`)
        findings.no(objects(item.content).length === 0, `${where}: empty`)
        const kind = item.role === 'assistant' ? 'output_text' : 'input_text'
        for (const part of objects(item.content))
          if (part.type === kind) findings.text(part.text, where)
          else
            findings.no(
              part.type !== 'input_image' || item.role !== 'user' || !isPicture(part.image_url),
              `${where}: part ${String(part.type)}`,
            )
        break
      }
      case 'reasoning': {
        findings.keys(item, where, 'type', 'summary', 'encrypted_content')
        findings.text(item.encrypted_content, where)
        const next = input[at + 1]
        const goesOn = ['reasoning', 'function_call'].includes(String(next?.type))
        findings.no(!goesOn && next?.role !== 'assistant', `${where}: nothing follows a thought`)
        break
      }
      case 'function_call':
        findings.keys(item, where, 'type', 'call_id', 'name', 'arguments')
        findings.call(item.call_id, item.name, 64, where)
        findings.args(item.arguments, where)
        open.add(item.call_id)
        break
      case 'function_call_output':
        findings.keys(item, where, 'type', 'call_id', 'output')
        findings.no(!open.delete(item.call_id), `${where}: no call`)
        for (const part of objects(item.output))
          if (part.type === 'input_text') findings.text(part.text, where)
          else findings.no(part.type !== 'input_image' || !isPicture(part.image_url), `${where}: part`)
        findings.no(
          typeof item.output !== 'string' && objects(item.output).length === 0,
          `${where}: no output`,
        )
        break
      default:
        findings.no(true, `${where}: unknown item ${String(item.type)}`)
    }
  }
  findings.no(open.size > 0, 'calls are open')
  return findings.found
}

/** Returns what the chat API of OpenAI refuses in `{ messages }`. */
function chatFindings(request: unknown): string[] {
  const findings = new Findings()
  if (!isObject(request)) return ['no object']
  findings.keys(request, 'request', 'messages')
  findings.whole(request)
  let open = new Set<unknown>()
  for (const [at, message] of objects(request.messages).entries()) {
    const where = `messages.${at}`
    if (message.role === 'tool') {
      findings.keys(message, where, 'role', 'tool_call_id', 'content')
      findings.no(!open.delete(message.tool_call_id), `${where}: no call`)
      findings.no(typeof message.content !== 'string', `${where}: no text`)
      continue
    }
    findings.no(open.size > 0, `${where}: stands before the answers to calls`)
    findings.keys(message, where, 'role', 'content', ...(message.role === 'assistant' ? ['tool_calls'] : []))
    findings.no(!['system', 'user', 'assistant'].includes(String(message.role)), `${where}: role`)
    const calls = objects(message.tool_calls)
    findings.no(message.tool_calls !== undefined && calls.length === 0, `${where}: no calls`)
    if (message.content === null) findings.no(calls.length === 0, `${where}: empty`)
    else if (Array.isArray(message.content)) {
      findings.no(message.content.length === 0, `${where}: empty`)
      for (const part of objects(message.content))
        if (part.type === 'text') findings.text(part.text, where)
        else {
          const url = isObject(part.image_url) ? part.image_url.url : undefined
          findings.no(
            part.type !== 'image_url' || message.role !== 'user' || !isPicture(url),
            `${where}: part`,
          )
        }
    } else findings.text(message.content, where)
    for (const call of calls) {
      const inner = isObject(call.function) ? call.function : {}
      findings.no(call.type !== 'function', `${where}: no function`)
      findings.call(call.id, inner.name, 40, where)
      findings.args(inner.arguments, where)
    }
    open = new Set(calls.map(({ id }) => id))
  }
  findings.no(open.size > 0, 'calls are open')
  return findings.found
}

/** The checks by the format that they are for. */
export const FINDINGS = {
  anthropic: anthropicFindings,
  openai: responsesFindings,
  'openai-chat': chatFindings,
} as const
