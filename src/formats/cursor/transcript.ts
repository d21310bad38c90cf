import { asString, field, isObject, items, type Json } from '../../model/json.ts'
import { promptIn } from '../../model/summary.ts'
import type { Block, View } from '../../model/view.ts'
import { blocksOf } from '../core/contentblocks.ts'
import { defineFormat, entriesOf } from '../core/define.ts'
import type { Facts, RecordIndex, Sample } from '../core/format.ts'
import { isUuid } from '../core/uuid.ts'
import { linear } from '../core/chainreader.ts'
import { all, chosen, each, fields, type Select } from '../core/fields.ts'
import { speakerOf } from '../core/speaker.ts'
import { untagged } from '../core/untagged.ts'

/** The tools that start a sub-agent. */
const STARTS: ReadonlySet<string> = new Set(['Agent', 'Task'])

/** Gathers what a session asked sub-agents, which is all that its calls and these have in common. */
class Asks {
  /** The entries with the calls, by the first words; what two asked alike is none's. */
  readonly found = new Map<string, RecordIndex>()
  readonly #twice = new Set<string>()

  /** Takes what an entry says. */
  add(blocks: readonly Block[], entry: RecordIndex): void {
    for (const block of blocks) {
      const text =
        block.kind === 'toolCall' && STARTS.has(block.name) ? field(block.input, 'prompt') : undefined
      const asked = promptIn({ role: 'user', blocks: [{ kind: 'text', text: asString(text) ?? '' }] })
      if (asked === undefined || this.#twice.has(asked) || this.found.get(asked) === entry) continue
      if (!this.found.has(asked)) this.found.set(asked, entry)
      else if (this.found.delete(asked)) this.#twice.add(asked)
    }
  }
}

/** What a sub-agent said lies in a folder within the one of the session that started it. */
const startedBy = (folder: string | undefined, session = ''): Facts =>
  folder === 'subagents' && isUuid(session) ? { parent: session } : {}

const BLOCKS = all('type', 'text', 'thinking', 'signature', 'id', 'name', 'input', 'tool_use_id', 'content')
const block: Select = fields({ ...BLOCKS, ...all('is_error', 'source', 'data', 'mimeType') })
const BODY: Readonly<Record<string, Select>> = {
  ...all('role', 'model'),
  message: fields({ content: each(block) }),
}

const isMessage = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  isObject(value) &&
  (value.role === 'user' || value.role === 'assistant') &&
  value.type === undefined &&
  isObject(value.message) &&
  value.message.role === undefined &&
  Array.isArray(value.message.content)

/** Its messages say who speaks beside the message, not in it, and carry no id. */
function detect({ lines: records }: Sample): boolean {
  const messages = records.filter(isMessage)
  return messages.length > 0 && messages.every(({ id, uuid }) => id === undefined && uuid === undefined)
}

function view(_kind: string, body: Json): View {
  const blocks = items(field(field(body, 'message'), 'content')).flatMap(shown)
  const id = asString(field(body, 'model'))
  return {
    role: speakerOf(field(body, 'role'), blocks),
    blocks,
    ...(id !== undefined && { sets: { model: { id } } }),
  }
}

function shown(part: Json): Block[] {
  const type = asString(field(part, 'type'))?.replaceAll('-', '_')
  const blocks = blocksOf(isObject(part) && type !== undefined ? { ...part, type } : part)
  return blocks.map((one) => (one.kind === 'text' ? { ...one, text: untagged(one.text, 'user_query') } : one))
}

/** The transcripts that Cursor leaves of its agents: what was said, without ids, times or outputs of tools. */
export const cursor = defineFormat({
  name: 'cursor',
  detect,
  reader: (name, folder, above) => {
    const stem = name.replace(/\.jsonl$/i, '')
    const facts = isUuid(stem) ? { id: stem, ...startedBy(folder, above?.[0]) } : {}
    const asks = new Asks()
    let next: RecordIndex = 0
    return linear(
      ({ value }) => {
        const handle = next++
        if (!isMessage(value)) return {}
        asks.add(view('message', value).blocks, handle)
        return { entry: { type: 'cursor/message', body: chosen(value, BODY) } }
      },
      () => ({ ...facts, subagentPrompts: asks.found }),
    )
  },
  entries: entriesOf(['message'], BODY, view),
})
