import { WORDINGS } from '../../model/errorcodes.ts'
import { type ErrorCode, type Remedy, SessError } from '../../model/errors.ts'
import { asString, defined, field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'

/** Returns an error as another process gets it. */
export const encodeError = (error: SessError): JsonObject => {
  const { code, subject, detail, typed, candidates, hint, remedy } = error
  return { code, subject, ...defined({ detail, remedy }), typed, candidates, hint }
}

/** Returns the error that another process reported. */
export function decodeError(error: Json): SessError {
  const text = (key: string): string => asString(field(error, key)) ?? ''
  const code = text('code')
  const remedy = field(error, 'remedy')
  return new SessError(Object.hasOwn(WORDINGS, code) ? (code as ErrorCode) : 'bug', text('subject'), {
    detail: text('detail'),
    typed: text('typed'),
    candidates: items(field(error, 'candidates')).flatMap((one) => asString(one) ?? []),
    hint: text('hint'),
    ...(isObject(remedy) && { remedy: remedy as unknown as Remedy }),
  })
}
