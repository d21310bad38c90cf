import { jsonText } from '../../model/json.ts'
import type { Draft, Line, Lines, Writer } from '../write.ts'
import { isSessionId, sessionIdOf } from './ids.ts'
import { infoOf, messagesOf } from './talk.ts'

/** Writes a path as OpenCode exports a session: a document that `opencode import` takes. */
export const writer: Writer = {
  branched: false,
  takesId: isSessionId,
  idOf: sessionIdOf,
  place: ({ id }) => ['opencode', 'import', `${id}.json`],
  lines,
}

async function* lines(draft: Draft): Lines {
  let before: Line = { text: `{"info":${jsonText(infoOf(draft))},\n"messages":[` }
  let isFirst = true
  for await (const made of messagesOf(draft, { ordered: false })) {
    if ('code' in made) {
      yield made
      continue
    }
    const { entry, ...message } = made
    const text = jsonText(message)
    if (isFirst) before = { entry, text: `${before.text}\n${text}` }
    else {
      yield before
      before = { entry, text: `,\n${text}` }
    }
    isFirst = false
  }
  yield { ...before, text: `${before.text}\n]}\n` }
}
