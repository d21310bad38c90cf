import { asString, field, items, type Json } from '../../model/json.ts'
import type { Sample } from '../format.ts'
import { headText } from '../headtext.ts'
import { speakerOf } from './message.ts'
import { isDocument } from './split.ts'

const HEADER = /"projectHash"\s*:\s*"/
const SESSION = /"sessionId"\s*:\s*"/
/** What only the model of Gemini says, in a session or in the contents that a checkpoint keeps. */
const ANSWER = /"type"\s*:\s*"gemini"|"role"\s*:\s*"(?:gemini|model)"\s*,\s*"parts"\s*:/

/**
 * Tells whether a source is a session of Gemini CLI: a document with its header or with what its model says, or a log
 * with a header, an event or a message of its own.
 */
export function detect({ head, lines }: Sample): boolean {
  if (!isDocument(head)) return lines.some(isOwn)
  const text = headText(head)
  return (HEADER.test(text) && SESSION.test(text)) || ANSWER.test(text)
}

const isOwn = (line: Json): boolean =>
  isHeader(line) || typeof field(line, '$rewindTo') === 'string' || isAnswer(line) || isList(line)

const isHeader = (line: Json): boolean =>
  typeof field(line, 'sessionId') === 'string' && typeof field(line, 'projectHash') === 'string'

const isAnswer = (line: Json): boolean =>
  field(line, 'type') === 'gemini' && asString(field(line, 'id')) !== undefined

const isList = (line: Json): boolean =>
  [field(line, 'messages'), field(line, 'history')].some((list) =>
    items(list).some(
      (one) => isAnswer(one) || (field(one, 'parts') !== undefined && speakerOf(one) === 'gemini'),
    ),
  )
