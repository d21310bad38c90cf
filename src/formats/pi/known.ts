import { type KnownRecords, words } from '../core/known.ts'
import { ENTRIES } from './entries.ts'

/** The types of pi's records that carry no entry. */
export const PASSED = ['custom', 'label', 'leaf', 'session_info', 'usage'] as const

/** The types of content of a message. */
export const BLOCKS = words('text image thinking toolCall')

/** The fields of a message, and of its usage. */
export const MESSAGE_FIELDS = {
  message: words(`
    role content timestamp api provider model responseModel responseId usage stopReason rawStopReason errorMessage
    toolCallId toolName details isError diagnostics deferred command output exitCode cancelled truncated fullOutputPath
    excludeFromContext customType display sections toolsAdded toolsRemoved attribution duration ttft
  `),
  'message.content': words(`
    type text textSignature thinking thinkingSignature redacted data mimeType id name arguments partialJson
    thoughtSignature namespace
  `),
  'message.usage': words(`
    input output cacheRead cacheWrite cacheWrite1h reasoning reasoningTokens totalTokens cost premiumRequests
  `),
}

/** The fields of a record of pi. */
export const RECORD_FIELDS = words(`
  type version id timestamp cwd parentSession branchedFrom parentId provider modelId thinkingLevel message
  summary details fromHook usage firstKeptEntryId firstKeptEntryIndex retainedTail systemMessage tokensBefore fromId
  customType content display data targetId label name replacement activeToolNames metadata
`)

/** The types and fields of pi, up to the log of lanes of its harness. */
export const KNOWN: KnownRecords = {
  written: '1.5.2',
  types: {
    type: ['session', ...Object.keys(ENTRIES), ...PASSED],
    kind: words('header entry record lane fact'),
    'message.content.type': BLOCKS,
    'message.role': words(`
      user assistant toolResult system custom hookMessage bashExecution branchSummary compactionSummary
    `),
  },
  fields: {
    ...MESSAGE_FIELDS,
    '': [...RECORD_FIELDS, ...words('kind createdAt parentSessionId lane seq terminate leafId fact')],
  },
}
