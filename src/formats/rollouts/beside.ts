import { asString, field } from '../../model/json.ts'
import type { SidecarFiles } from '../format.ts'
import { millis } from '../pi/time.ts'
import { isSessionFolder } from './detect.ts'

/**
 * A session folder of rollouts holds, beside the messages, what is known of the session and its environment. What it was
 * branched from is the session that it came from.
 */
export const beside: SidecarFiles = {
  folder: (name, folder) => (name === 'messages.jsonl' && isSessionFolder(folder) ? '' : undefined),
  holds: (path) => path === 'session.json' || path === 'environment.json',
  facts(path, value) {
    if (path !== 'session.json') return {}
    const parent = asString(field(value, 'parent_id'))
    const created = millis(field(value, 'created_at'))
    return { ...(parent !== undefined && { parent }), ...(created !== undefined && { created }) }
  },
}
