import type { Json, JsonObject } from '../../src/model/json.ts'

/** Returns a line of a Claude Code transcript: a record of a session with a time. */
export function claudeLine(session: string, minute: number, record: JsonObject): string {
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  return `${JSON.stringify({ sessionId: session, cwd: '/work', timestamp, ...record })}\n`
}

const record = (uuid: string, parent: string | null, role: string, content: Json): JsonObject => ({
  type: role,
  uuid,
  parentUuid: parent,
  message: { role, ...(role === 'assistant' && { id: `msg-${uuid}` }), content },
})

/** Returns what a user says, under a uuid and after another one. */
export const asked = (uuid: string, parent: string | null, text = `ask ${uuid}`): JsonObject =>
  record(uuid, parent, 'user', text)

/** Returns what the assistant says. */
export const answered = (uuid: string, parent: string, text = `answer ${uuid}`): JsonObject =>
  record(uuid, parent, 'assistant', [{ type: 'text', text }])

/** Returns the lines of a transcript. */
export const claudeLines = (session: string, ...records: readonly JsonObject[]): string[] =>
  records.map((one, i) => claudeLine(session, i, one))
