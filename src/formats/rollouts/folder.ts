import { iso } from '../../model/iso.ts'
import { type JsonObject, jsonText } from '../../model/json.ts'
import type { Draft, Lines, Writer } from '../write.ts'
import { isSessionFolder } from './detect.ts'
import { writer as file, messageLines, modelOf, surveyed } from './write.ts'

/** Writes a path as rollouts keeps a session in a folder of its own: messages alone, and what is known of them beside. */
export const folder: Writer = {
  ...file,
  takesId: isSessionFolder,
  idOf: (uuid, created) => {
    const [day = '', time = ''] = (iso(created) ?? '').slice(0, 19).replaceAll(/[-:]/g, '').split('T')
    return `${day}_${time}_${uuid.slice(0, 6)}`
  },
  place: ({ id }) => ['sessions', id, 'messages.jsonl'],
  below: 2,
  sidecars: async (draft) => [
    { name: `${draft.id}/session.json`, text: `${jsonText(await about(draft))}\n` },
  ],
  lines,
}

async function* lines(draft: Draft): Lines {
  yield* messageLines(draft, await surveyed(draft), (message, timestamp) => ({ timestamp, ...message }))
}

/** What rollouts knows of a session besides what is said. Where it was branched off nobody says of a path. */
async function about(draft: Draft): Promise<JsonObject> {
  const created = iso(draft.created)
  return {
    session_id: draft.id,
    parent_id: null,
    branch_point: null,
    endpoint: modelOf(await surveyed(draft)),
    environment: { type: 'local', config: {} },
    environment_state: null,
    status: 'pending',
    reward: null,
    tags: {},
    created_at: created,
    updated_at: created,
  }
}
