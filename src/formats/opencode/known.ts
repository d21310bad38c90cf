import { type KnownRecords, words } from '../core/known.ts'

const INFO = words(`
  id sessionID parentID projectID workspaceID slug directory path title version share summary revert permission
  role time agent mode variant providerID modelID model system tools cost finish tokens error format structured
`)

const PARTS = words(`
  id sessionID messageID type text synthetic ignored time metadata callID tool state mime filename url source snapshot
  reason cost tokens auto overflow tail_start_id hash files prompt description agent model command name attempt error
`)

const PART_TYPES = words(`
  text reasoning tool file step-start step-finish snapshot patch subtask agent compaction retry
`)

/** The types and fields of OpenCode's exports, files and rows. */
export const KNOWN: KnownRecords = {
  written: '1.18.33',
  types: {
    table: words('session message part'),
    type: PART_TYPES,
    'parts.type': PART_TYPES,
  },
  fields: {
    '': [...new Set([...INFO, ...PARTS, ...words('info parts rows table row cleared file bytes')])],
    info: INFO,
    parts: PARTS,
    'parts.state': words('status input raw output title metadata time error attachments'),
    row: words(`
      id project_id workspace_id parent_id slug directory path title version share_url summary_additions summary_deletions
      summary_files summary_diffs cost tokens_input tokens_output tokens_reasoning tokens_cache_read tokens_cache_write
      revert permission agent model metadata time_created time_updated time_compacting time_archived
      session_id message_id data
    `),
    rows: words('id session_id message_id time_created time_updated'),
  },
}
